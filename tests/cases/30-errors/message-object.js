const e = new Error("x");
e.message = { toString() { return "made"; } };
throw e;
