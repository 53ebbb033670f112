let a = [];
for (let i = 0; i < 5000; i++) a = [a];
return a;
