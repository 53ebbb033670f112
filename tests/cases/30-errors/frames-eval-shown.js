try {
  eval("\nthrow new Error('inside')");
} catch (e) {
  return e.stack.split("\n").slice(1);
}
