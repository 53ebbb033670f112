console.time("t");
console.timeLog("t", "x", 5);
console.timeEnd("t");
console.timeEnd("t");
