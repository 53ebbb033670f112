const a = { b: [1, { c: "d" }], e: undefined };
const k = structuredClone(a);
k.b[1].c = "x";
return [a.b[1].c, k, "e" in k, k.b !== a.b];
