console.log({ b: 2, s: "x" }, [1, "two"], [], {});
console.log({ a: { b: { c: { d: 1 } } } });
console.log(new Map([["k", 1]]), new Set([1]));
console.log([undefined, null], -0, 10n, Symbol("s"));
