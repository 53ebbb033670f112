const r = await tools.a({});
return r.text.length;
