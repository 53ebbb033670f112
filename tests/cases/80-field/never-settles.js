const wait = new Promise(() => {});
await wait;
