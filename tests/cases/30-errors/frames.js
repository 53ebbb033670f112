function first() {
  second();
}
function second() {
  throw new Error("deep");
}

first();
