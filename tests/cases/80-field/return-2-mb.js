return "r".repeat(2000000);
