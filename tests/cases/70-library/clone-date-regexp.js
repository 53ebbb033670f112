const r = /a+/gi;
r.lastIndex = 3;
const k = structuredClone([new Date(5), new Date(NaN), r]);
return [k[0].getTime(), k[0] instanceof Date, String(k[1]), String(k[2]), k[2].lastIndex];
