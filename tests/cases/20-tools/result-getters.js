const r = await tools.a({});
return [Object.keys(r), JSON.stringify(r), "text" in r, "data" in r, r.text, r.data];
