const all = await Promise.allSettled([tools.a({ n: 1 }), tools.a({ n: 2 }), tools.b({})]);
return all.map((r) => r.status + " " + (r.value?.text ?? r.reason.name));
