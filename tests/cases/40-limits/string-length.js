try {
  "x".repeat(2 ** 30);
} catch (e) {
  return e instanceof Error;
}
