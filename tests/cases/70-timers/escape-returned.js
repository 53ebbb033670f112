tools.a({});
setTimeout(() => { throw new TypeError("from a timer"); }, 5);
return 1;
