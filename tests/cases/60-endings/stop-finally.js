try {
  for (;;);
} catch {
  text("caught");
} finally {
  text("finally");
  tools.a({});
}
