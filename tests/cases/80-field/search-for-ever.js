return "a".repeat(30e6).indexOf("a".repeat(15e6) + "b");
