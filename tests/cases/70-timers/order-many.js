const log = [];
await Promise.all(Array.from({ length: 1000 }, (_, i) => new Promise((resolve) => {
  const ms = 20 + (i * 7919) % 50;
  const entry = { from: performance.now() + ms };
  setTimeout(() => { log.push(entry); resolve(); }, ms);
  entry.to = performance.now() + ms; // it is due between the two
})));
let swaps = 0;
for (let i = 1; i < log.length; i++) {
  if (log[i].to < log[i - 1].from) swaps++;
}
return [log.length, swaps];
