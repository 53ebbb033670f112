return new TypeError("bad thing");
