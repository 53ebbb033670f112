console.dir("a");
console.dir({ a: [1, 2] }, { depth: 0 });
console.debug("%s is %d", "x", 4, { y: 1 });
