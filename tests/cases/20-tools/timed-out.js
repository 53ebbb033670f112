try {
  await tools.a({ n: 1 });
} catch (e) {
  return [e.name, e.tool, e.effect];
}
