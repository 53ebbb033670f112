console.log("%s is %d of %i, %j", "x", 5, 7.9, { a: 1 });
console.log("%o100%%", "left");
console.log("%s");
