return [["abc", 2], ["é€😀", 5], ["é€😀", 8], ["é€😀", 9], ["a", 0]].map(([s, n]) => {
  const b = new Uint8Array(n);
  const { read, written } = new TextEncoder().encodeInto(s, b);
  return [read, written, [...b]];
});
