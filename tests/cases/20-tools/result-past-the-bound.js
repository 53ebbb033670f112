try {
  await tools.a({});
} catch (e) {
  return [e.name, e.effect, e.tool, e.message.includes("22369622")];
}
