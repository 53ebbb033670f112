const e = new Error("m");
e.stack = "Error: m\n    at load (<script>:3:7)\n    at other (/etc/passwd:1:1)\n    at <script>:9:2\nnoise";
throw e;
