const e = new TextEncoder();
const out = [e.encode().length, e.encode(undefined).length, [...e.encode(12)], [...e.encode(null)]];
try {
  e.encode(Symbol());
} catch (x) {
  out.push(x.name);
}
return out;
