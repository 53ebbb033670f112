for (;;) {
  try {
    for (;;) {}
  } catch (e) {
    text("caught");
  } finally {
    text("finally");
  }
}
