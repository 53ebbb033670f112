return Object.assign(new RangeError("m", { cause: "c" }), { code: 5 });
