const a: number = 1;
let b = 2;
let b = 3;
