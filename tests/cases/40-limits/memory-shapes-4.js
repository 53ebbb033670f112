const shapes = {
  objects() { const a = []; for (;;) a.push({ n: a.length }); },
  arrays() { const a = []; for (;;) a.push(new Array(1000).fill([])); },
  strings() { const a = []; for (;;) a.push("x".repeat(10000) + a.length); },
  typed() { const a = []; for (;;) a.push(new Float64Array(10000)); },
  map() { const m = new Map(); for (let i = 0; ; i++) m.set(i, "v" + i); },
  set() { const s = new Set(); for (let i = 0; ; i++) s.add("s" + i); },
  closures() { const a = []; for (;;) { const n = a.length; a.push(() => n); } },
  parse() { const a = []; for (;;) a.push(JSON.parse('{"a":[1,{"b":2}]}')); },
  stringify() { let v = ["x".repeat(1000)]; for (;;) { JSON.stringify(v); v = [v, v]; } },
  patterns() { const a = []; for (;;) a.push("key=value".match(/(?<k>\w+)=(?<v>\w+)/)); },
  bigints() { const a = []; for (;;) a.push(2n ** 10000n + BigInt(a.length)); },
  spread() { let a = [1, 2, 3]; for (;;) a = [...a, ...a]; },
};
const bad = [];
for (const name in shapes) {
  try {
    shapes[name]();
  } catch (error) {
    if (!(error instanceof Error) || `${error}` !== "InternalError: out of memory") {
      bad.push(name + ": " + error);
    }
  }
}
return [bad, (await tools.echo({ n: "after" })).data.n];
