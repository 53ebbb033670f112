const said = [];
for (const wrong of [5n, Symbol("s"), true, () => 1]) {
  try {
    await tools.a(wrong);
  } catch (e) {
    said.push(e.name + " " + /this is a (\w+)/.exec(e.message)[1]);
  }
}
return said;
