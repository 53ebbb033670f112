console.table([{ a: 1, b: "x" }, { a: 2, c: true }]);
console.table([[1, 2], [3, 4]]);
console.table(["p", "q"]);
console.table({ r: { n: 1 } });
console.table([{ a: 1, b: 2 }], ["b"]);
