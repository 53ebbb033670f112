const r = await tools.a({});
let depth = 0;
for (let v = r.data; v; v = v[0]) depth++;
return depth;
