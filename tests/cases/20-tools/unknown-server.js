const said = [];
for (const use of [() => tools.everything.echo({}), () => tools.everything({}),
                   () => tools["everything.echo"]({}), () => tools.files.raed({}),
                   () => tools.a.b.c()]) {
  try {
    await use();
  } catch (e) {
    said.push(e.name + " " + e.tool + " " + e.effect);
  }
}
return [said, typeof tools.then, typeof tools.everything.then, typeof tools[Symbol.iterator],
        typeof tools.everything[Symbol.toPrimitive], await tools === tools];
