const out = await Promise.all(Array.from({ length: 1000 }, (_, i) => tools.sq({ i })));
return out.reduce((sum, r) => sum + r.data.i, 0);
