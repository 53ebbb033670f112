const a = [1, , 3];
a.x = "y";
a.length = 5;
const k = structuredClone(a);
return [k.length, 1 in k, k.x, Array.isArray(k)];
