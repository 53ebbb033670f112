try {
  await tools.a({ s: Symbol("x") });
} catch (e) {
  return [e.name, e instanceof TypeError, e.message.includes("s")];
}
