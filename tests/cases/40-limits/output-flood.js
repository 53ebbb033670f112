for (let i = 0; i < 500; i++) text("x".repeat(99999));
