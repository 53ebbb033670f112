try {
  await tools.a({});
} catch (e) {
  return [e.name, e.effect, /2,?000/.test(e.message)];
}
