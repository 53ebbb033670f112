setTimeout(() => text("last"), 5);
await new Promise(() => {});
