function f() { throw new TypeError("x"); }
try {
  f();
} catch (e) {
  return e.stack;
}
