async function load() {
  await tools.a({});
  await new Promise(() => {});
}
await load();
