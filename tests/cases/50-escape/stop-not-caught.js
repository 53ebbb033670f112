for (;;) {
  try {
    for (;;) {}
  } catch {
    text("caught");
  } finally {
    tools.a({});
  }
}
