let n = 0;
await tools.a({ get x() { return ++n; } });
try {
  await tools.a({ fine: 1, get y() { throw new RangeError("no"); } });
} catch (e) {
  return [n, e.name, e.message];
}
