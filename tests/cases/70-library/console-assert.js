console.assert(true, "not told");
console.assert(false);
console.assert(0, "a %s", "b");
