const out = [structuredClone.name];
for (const f of [() => structuredClone(), () => new structuredClone(1), () => structuredClone(1, 2)]) {
  try {
    f();
    out.push("no");
  } catch (e) {
    out.push(e.name);
  }
}
return out;
