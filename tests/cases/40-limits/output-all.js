text("abc");
text("def");
