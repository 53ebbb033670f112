const all = await Promise.all(Array.from({ length: 40 }, (_, i) => tools.add({ i })));
return all.length;
