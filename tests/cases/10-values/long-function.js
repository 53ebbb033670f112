return new Function("x".repeat(3000));
