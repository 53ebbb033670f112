const inner = new TypeError("inner", { cause: "the wire was cut" });
throw new Error("outer", { cause: inner });
