const a = { n: 1 };
a.self = a;
console.log(a);
