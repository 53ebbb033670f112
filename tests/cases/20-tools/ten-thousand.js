const all = await Promise.all(Array.from({ length: 10000 }, (_, i) => tools.a({ i })));
return all.every((r, i) => r.data.i === i);
