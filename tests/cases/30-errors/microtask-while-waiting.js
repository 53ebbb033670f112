queueMicrotask(() => { throw new Error("from a job"); });
await tools.a({});
return 1;
