const e = new Error("m");
e.stack = "    at f (<script>:" + "9".repeat(400) + ":" + "8".repeat(400) + ")\n    at g (<script>:2:2)";
throw e;
