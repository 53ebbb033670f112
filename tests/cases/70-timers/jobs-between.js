const log = [];
for (const n of [1, 2]) {
  setTimeout(() => {
    log.push("timer " + n);
    queueMicrotask(() => log.push("job " + n));
    Promise.resolve().then(() => log.push("then " + n));
  }, 5);
}
await sleep(30);
return log;
