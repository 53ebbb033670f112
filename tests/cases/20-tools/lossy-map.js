try {
  await tools.a({ m: { x: new Map() } });
} catch (e) {
  return [e.name, e instanceof TypeError, e.message.includes("m.x")];
}
