[3].map(function each(n) {
  throw new Error("in map");
});
