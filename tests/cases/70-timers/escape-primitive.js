setTimeout(() => { throw "just text"; }, 1);
await sleep(5000);
