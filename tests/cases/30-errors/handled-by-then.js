const p = tools.a({}).then(() => { throw new Error("x"); });
await tools.b({});
await p.catch(() => text("handled"));
