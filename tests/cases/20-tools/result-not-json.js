try {
  await tools.a({});
} catch (e) {
  return [e.name, e.effect, e.message.includes("JSON")];
}
