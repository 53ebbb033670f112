const r = await tools.get({});
return [Object.keys(r), JSON.stringify(r), "structuredContent" in r, r.structuredContent === undefined];
