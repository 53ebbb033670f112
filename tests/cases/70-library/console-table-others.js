console.table(new Map([["a", 1]]));
console.table(new Set([1]));
console.table([]);
console.table(5);
console.table("text");
