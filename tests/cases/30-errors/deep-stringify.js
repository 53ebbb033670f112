let a = [];
for (let i = 0; i < 20000; i++) a = [a];
return JSON.stringify(a).length;
