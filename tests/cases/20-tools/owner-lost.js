try {
  await tools.a({});
} catch (e) {
  return [e.name, e.tool, e.effect, e.message.includes("the server died")];
}
