function f() {
  console.trace("here %d", 1);
}
f();
