const a = 1;
return String(a: 1);
