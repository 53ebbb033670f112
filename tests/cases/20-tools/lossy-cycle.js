const loop = { deep: {} };
loop.deep.back = loop;
try {
  await tools.a({ loop });
} catch (e) {
  return [e.name, e.message.includes("loop.deep.back")];
}
