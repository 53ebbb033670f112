try {
  await tools.a({ big: { n: 2n ** 70n + 1n } });
} catch (e) {
  return [e.name, e instanceof TypeError, e.message.includes("big.n")];
}
