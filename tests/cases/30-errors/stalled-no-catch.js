try {
  await new Promise(() => {});
} catch (e) {
  text("caught");
  for (;;) {}
} finally {
  text("finally");
  for (;;) {}
}
