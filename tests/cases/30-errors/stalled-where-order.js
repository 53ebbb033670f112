async function load() {
  await new Promise(() => {});
}
await load();
