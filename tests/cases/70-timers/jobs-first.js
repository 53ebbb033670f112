const log = [];
setTimeout(() => log.push("timer"), 0);
for (let i = 0; i < 3; i++) await null;
log.push("jobs");
await sleep(10);
return log;
