tools.a({ n: 1 });
tools.a({ n: 2 });
tools.a({ n: 3 }).catch(() => {});
await tools.a({ n: 4 });
