try {
  throw new Error("x");
} finally {
  return "from finally";
}
