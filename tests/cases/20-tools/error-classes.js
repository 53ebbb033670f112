const said = [];
async function look(what) {
  try {
    await what();
  } catch (e) {
    said.push([e.name, e instanceof Error, e instanceof globalThis[e.name], e.tool, e.effect,
               Object.keys(e).join()].join(" "));
  }
}
await look(() => tools.refused({}));
await look(() => tools.lost({}));
await look(() => tools.slow({}));
await look(() => tools.large({}));
await look(() => tools.none({}));
text(said.join("\n"));
return typeof CallAborted;
