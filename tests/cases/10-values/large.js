return "x".repeat(1024 * 1024);
