return [() => 1, Symbol("s"), { a: [function f() {}] }, new WeakMap(), Promise.resolve(), new Proxy({}, {}), (function* () {})(), tools].map((x) => {
  try {
    structuredClone(x);
    return "no";
  } catch (e) {
    return e.name + " " + e.code + " " + (e instanceof DOMException) + " " + e.message;
  }
});
