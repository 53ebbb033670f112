const a = [];
for (let i = 0; i < 90; i++) a.push(new Uint8Array(1024 * 1024).fill(i));
return a.length;
