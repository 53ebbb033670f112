const a = [];
try {
  for (;;) a.push({ n: a.length });
} catch (e) {
  a.length = 0;
  return [e instanceof Error, e.name, e.message];
}
