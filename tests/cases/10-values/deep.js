let a = [];
for (let i = 0; i < 1990; i++) a = [a];
return a;
