try {
  await tools.a({ s: "\u00e9".repeat(600) });
} catch (e) {
  return e.name;
}
