try {
  structuredClone({ get x() { throw new RangeError("g"); } });
} catch (e) {
  return e.name + " " + e.message;
}
