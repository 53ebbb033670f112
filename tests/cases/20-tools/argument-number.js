try {
  await tools.add(5);
} catch (e) {
  return [e instanceof TypeError, e.name];
}
