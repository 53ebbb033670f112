const a = [];
try {
  for (;;) a.push("x".repeat(65536) + a.length);
} catch (e) {
  a.length = 0;
  return e.name + ": " + e.message;
}
