await tools.a({ secret: "x".repeat(400) });
