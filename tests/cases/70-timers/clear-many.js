const log = [];
const timers = [];
for (let i = 0; i < 200; i++) timers.push(setTimeout(() => log.push(i), 10 + (i * 37) % 100));
for (let i = 0; i < 200; i += 2) clearTimeout(timers[i]);
await sleep(150);
const odd = log.every((n) => n % 2 === 1);
return [log.length, odd, new Set(log).size];
