setTimeout(() => { throw new TypeError("from a timer"); }, 5);
await sleep(5000);
return 1;
