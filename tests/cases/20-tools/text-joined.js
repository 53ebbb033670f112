const r = await tools.get({});
return r.text;
