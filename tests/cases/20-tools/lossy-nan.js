try {
  await tools.a({ a: { b: NaN } });
} catch (e) {
  return [e.name, e instanceof TypeError, e.message.includes("a.b")];
}
