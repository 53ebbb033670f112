await tools.a({});
await new Promise(() => {});
