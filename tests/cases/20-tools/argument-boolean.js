try {
  await tools.add(true);
} catch (e) {
  return [e instanceof TypeError, e.name];
}
