class Point { constructor() { this.x = 1; } get y() { return 2; } }
await tools.a({
  date: new Date(Date.UTC(2020, 0, 2)), box: [Object(1), Object("s"), Object(true), Object(5n)],
  point: new Point(), bare: Object.assign(Object.create(null), { k: 1 }), big: 10n,
  proxy: new Proxy({ p: [1] }, {}), hole: [, 1], zero: -0, [Symbol("s")]: 1,
  args: (function () { return arguments; })(7),
});
