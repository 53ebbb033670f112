Error.stackTraceLimit = { valueOf() { for (;;) try { for (;;); } finally { text("more"); tools.a({}); } } };
new Error("x");
