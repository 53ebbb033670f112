text("a\tb");
text("\u00e9\u{1F600}");
text("");
text("end");
