async function load() {
  return await tools.a({});
}
try {
  await load();
} catch (e) {
  return e.stack.split("\n");
}
