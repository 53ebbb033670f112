const p = Promise.reject(new Error("x"));
await null;
p.catch(() => text("handled"));
return 1;
