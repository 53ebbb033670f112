const held = tools.a({});
tools.b({}).then(() => queueMicrotask(() => { throw new Error("from a job"); }));
await held;
return 1;
