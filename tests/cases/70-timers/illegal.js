const t = setTimeout(() => {}, 1);
try {
  new t.constructor({ at: 0 });
} catch (e) {
  return e.name;
} finally {
  clearTimeout(t);
}
