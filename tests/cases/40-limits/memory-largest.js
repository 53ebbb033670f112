const a = [];
for (let i = 0; i < 140; i++) a.push("x".repeat(1024 * 1024 - 1) + (i % 10));
return a.length;
