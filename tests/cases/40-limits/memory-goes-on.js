let a = [];
try {
  for (;;) a.push({});
} catch (e) {
  a = null;
  text(e.message);
}
const r = await tools.a({});
return r.text.length;
