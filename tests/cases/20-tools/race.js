const r = await Promise.race([tools.a({ n: 1 }), tools.a({ n: 2 })]);
return r.text;
