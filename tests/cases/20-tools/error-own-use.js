class Mine extends ToolRefused {}
const e = new Mine("made", "a", "none");
try {
  throw e;
} catch (x) {
  return [x instanceof ToolRefused, x.name, x.message, x.tool, x.effect, String(new CallTimeout("t"))];
}
