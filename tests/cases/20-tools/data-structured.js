const r = await tools.get({});
return [r.data, r.structuredContent];
