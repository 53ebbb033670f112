class OutOfStock extends Error {
  get name() { return "OutOfStock"; }
}
throw new OutOfStock("no more tea");
