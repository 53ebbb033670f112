const a = (await tools.add({ a: 1, b: 2 })).data;
const b = (await tools.add({ a, b: 4 })).data;
return { total: b };
