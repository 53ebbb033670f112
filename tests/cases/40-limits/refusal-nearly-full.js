const pending = tools.a({});
const held = [];
try {
  for (;;) held.push({});
} catch {}
let how;
try {
  await pending;
} catch (error) {
  how = [error.name, error.effect, error.message];
}
held.length = 0;
return how;
