return "x".repeat(24 * 1024 * 1024 - 1);
