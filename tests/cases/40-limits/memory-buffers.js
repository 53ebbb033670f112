const a = [];
try {
  for (;;) a.push(new Uint8Array(1024 * 1024));
} catch (e) {
  const n = a.length;
  a.length = 0;
  return [n > 8, n < 64, e instanceof Error];
}
