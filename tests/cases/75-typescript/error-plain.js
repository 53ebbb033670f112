const a = 1;
const b = (a +;
return b;
