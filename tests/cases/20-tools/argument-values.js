await tools.x({ a: [1] });
await tools.x({ a: [1, 2] });
