const a = performance.now();
for (let i = 0; i < 100000; i++);
const b = performance.now();
return [typeof a, a >= 0, b >= a, b < 60000];
