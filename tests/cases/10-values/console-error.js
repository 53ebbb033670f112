function inner() {
  return new RangeError("too far");
}
console.log(inner());
