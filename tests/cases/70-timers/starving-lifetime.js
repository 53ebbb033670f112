setInterval(() => {
  const until = performance.now() + 3;
  while (performance.now() < until) {}
}, 1);
await new Promise(() => {});
