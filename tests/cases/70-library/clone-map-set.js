const m = new Map([[{ a: 1 }, new Set([1, "2"])]]);
m.set(m, m);
const k = structuredClone(m);
const [key] = k.keys();
return [k instanceof Map, k.size, key, [...k.get(key)], k.get(k) === k];
