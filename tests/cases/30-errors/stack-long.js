const e = new Error("m");
e.stack = "    at f (<script>:1:1)\n    at g (<script>:2:2)\n".repeat(100000);
throw e;
