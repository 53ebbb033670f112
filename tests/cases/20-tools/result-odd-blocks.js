const r = await tools.a({});
return [r.text, r.data, r.content.length];
