try {
  await tools.a({ s: new Set([1]) });
} catch (e) {
  return [e.name, e instanceof TypeError, e.message.includes("s")];
}
