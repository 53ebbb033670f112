const begin = performance.now();
await Promise.all([1, 2, 3].map((n) => wake_agent(n).then(() => text(n))));
return performance.now() - begin >= 99;
