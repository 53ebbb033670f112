try {
  throw new Error("x");
} catch (e) {
  return "caught " + e.message;
} finally {
  text("finally");
}
