const said = [];
const bad = [
  { a: { b: [0, new Map()] } }, { "odd key": new Set() }, { x: [Promise.resolve()] },
  { r: /x/ }, { e: new Error("m") }, { b: new ArrayBuffer(1) }, { d: new Date(NaN) },
  { v: new DataView(new ArrayBuffer(1)) }, { w: new WeakMap() }, { n: -Infinity }, { u: 2n ** 70n + 1n },
];
for (const args of bad) {
  try {
    await tools.a(args);
  } catch (e) {
    said.push(e.name === "TypeError" ? e.message : String(e));
  }
}
text(said.join("\n"));
