const out = [];
for (const name of ["constructor", "__proto__", "toString", "then", "length", "hasOwnProperty"]) {
  out.push((await tools[name]({ name })).text);
}
return out;
