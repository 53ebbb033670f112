try {
  await tools.a({});
} catch (e) {
  return [e instanceof Error, e instanceof ToolRefused, e.name, e.tool, e.effect, e.message.includes("not today")];
}
