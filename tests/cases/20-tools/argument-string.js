try {
  await tools.add("x");
} catch (e) {
  return [e instanceof TypeError, e.name];
}
