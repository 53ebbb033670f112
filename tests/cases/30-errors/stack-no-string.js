const e = new Error("m");
e.stack = { toString() { return "    at x (<script>:1:1)"; } };
throw e;
