text("plain");
text({ a: 1, b: [2] });
text(5);
text(null);
return 1;
