const deep = { a: { b: { c: { d: { e: 1 } } } } };
console.dir("a");
console.dir({ a: [1, 2] }, { depth: 0 });
console.dir(deep);
console.dir(deep, { depth: null });
console.dir(deep, { depth: 1 });
console.dir(deep, null);
console.debug("%s is %d", "x", 4, { y: 1 });
