return "a \"quoted\"\nline";
