queueMicrotask(() => { throw new Error("from a job"); });
return 1;
