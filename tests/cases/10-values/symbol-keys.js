return { [Symbol("k")]: 1, s: Symbol("v"), a: [Symbol("v")], b: 2 };
