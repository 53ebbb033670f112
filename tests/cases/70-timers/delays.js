const log = [];
setTimeout(() => log.push("NaN"), NaN);
setTimeout(() => log.push("negative"), -5);
setTimeout(() => log.push("text"), "2");
setTimeout(() => log.push("null"), null);
setTimeout(() => log.push("Infinity"), Infinity);
setTimeout(() => log.push("2^31"), 2 ** 31);
await sleep(20);
return log;
