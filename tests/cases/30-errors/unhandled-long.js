Promise.reject(new Error("x".repeat(5000)));
