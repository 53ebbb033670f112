let n = 0;
setInterval(() => {
  n++;
  if (n === 3) throw new RangeError("third");
}, 1);
await sleep(10000);
