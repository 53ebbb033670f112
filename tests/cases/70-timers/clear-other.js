const log = [];
let b;
setTimeout(() => { log.push("a"); clearTimeout(b); }, 5);
b = setTimeout(() => log.push("b"), 5);
setTimeout(() => log.push("c"), 5);
await sleep(25);
return log;
