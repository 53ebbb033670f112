const made = new Function("a", "\n\n\nreturn a.b.c;");
made({});
