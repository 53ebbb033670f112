function f() { return f() + 1; }
try {
  f();
} catch (e) {
  return [e instanceof RangeError, e.name];
}
