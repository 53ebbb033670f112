const r = await tools.add({ a: 1, b: 2 });
return { sum: r.data };
