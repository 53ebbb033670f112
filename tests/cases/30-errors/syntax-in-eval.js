try {
  eval("const = 1");
} catch (e) {
  return e.name;
}
