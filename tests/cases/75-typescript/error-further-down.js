const a: number = 1;
const s: string = "x";
const b = (a +;
return b;
