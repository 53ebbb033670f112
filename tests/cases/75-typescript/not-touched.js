const a = 5, b = 2, c = 1;
const f = (x) => x;
return [a < b > (c), f < 1, "x: number"];
