return { m: new Map([["a", 1]]), s: new Set(["x"]) };
