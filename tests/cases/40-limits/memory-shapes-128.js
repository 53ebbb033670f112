const shapes = {
  objects() { const a = []; for (;;) a.push({ n: a.length }); },
  arrays() { const a = []; for (;;) a.push(new Array(1000).fill([])); },
  strings() { const a = []; for (;;) a.push("x".repeat(10000) + a.length); },
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
