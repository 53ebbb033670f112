try {
  await tools.add(() => 1);
} catch (e) {
  return [e instanceof TypeError, e.name];
}
