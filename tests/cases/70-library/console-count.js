console.count();
console.count("x");
console.count();
console.countReset();
console.count();
