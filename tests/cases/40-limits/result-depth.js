const r = [];
for (const name of ["a", "b"]) {
  try {
    r.push((await tools[name]({})).isError);
  } catch (e) {
    r.push(e.name);
  }
}
return r;
