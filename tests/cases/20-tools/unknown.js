try {
  await tools.serach({ q: 1 });
} catch (e) {
  return [e instanceof Error, e.name, e.tool, e.effect, e.message.includes("search")];
}
