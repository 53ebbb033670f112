throw new TypeError();
