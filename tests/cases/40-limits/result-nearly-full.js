const pending = tools.large({ n: 1 });
const held = [];
try {
  for (;;) held.push("z".repeat(1000) + held.length);
} catch {}
let how;
try {
  await pending;
} catch (error) {
  how = [error.name, error.effect, error instanceof Error, error.message];
}
held.length = 0;
return [how, (await tools.large({ n: 2 })).text.length > 0];
