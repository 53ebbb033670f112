const r = await tools.a({});
return [r.content, r.text, r.data, r.isError];
