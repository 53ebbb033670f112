throw new Error("e".repeat(50e6));
