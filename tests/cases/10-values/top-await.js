const a = await Promise.resolve(2);
const b = await 3;
return a * b;
