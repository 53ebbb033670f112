let n = 0;
await tools.a({ v: { toJSON() { n++; return n; } } });
return n;
