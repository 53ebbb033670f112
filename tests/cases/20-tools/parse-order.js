const r = await tools.get({});
return [Object.keys(r.data), r.data];
