const b = new ArrayBuffer(4);
const out = [];
for (const f of [() => structuredClone(b, { transfer: [b, b] }), () => structuredClone({ b, f() {} }, { transfer: [b] }), () => structuredClone(1, { transfer: [{}] }), () => structuredClone(1, { transfer: [1] }), () => structuredClone(1, { transfer: 1 })]) {
  try {
    f();
    out.push("no");
  } catch (e) {
    out.push(e.name + " " + b.byteLength);
  }
}
structuredClone(b, { transfer: [b] });
for (const f of [() => structuredClone(b), () => structuredClone(1, { transfer: [b] })]) {
  try {
    f();
    out.push("no");
  } catch (e) {
    out.push(e.name);
  }
}
return out;
