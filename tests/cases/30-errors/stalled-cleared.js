const t = setTimeout(() => {}, 5000);
queueMicrotask(() => clearTimeout(t));
await new Promise(() => {});
