fetch("http://x/");
