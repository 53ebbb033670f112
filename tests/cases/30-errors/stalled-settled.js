for (let i = 0; i < 100; i++) {
  let done;
  const p = new Promise((resolve) => { done = resolve; });
  queueMicrotask(done);
  await p;
}
await new Promise(() => {});
