const hoard = []; let error;
try { for (let i = 0; i < 4000; i++) hoard.push("x".repeat(1 << 20) + i); } catch (e) { error = e; }
const n = hoard.length;
hoard.length = 1500;
const r = await tools.a({});
return [n > 1900, String(error), r.text.length, r.text.endsWith("x")];
