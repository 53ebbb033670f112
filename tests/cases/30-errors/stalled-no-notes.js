async function lost() { await new Promise(() => {}); }
lost();
lost();
await new Promise(() => {});
