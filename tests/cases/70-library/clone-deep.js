let d = {};
for (let i = 0; i < 1000000; i++) {
  d = { d };
}
try {
  structuredClone(d);
  return "copied";
} catch (e) {
  return e.name;
}
