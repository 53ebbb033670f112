let n = 0;
return { toJSON() { n++; return n; } };
