const out = [];
for (let i = 0; i < 2; i++) {
  try {
    await tools.a({ i });
  } catch (e) {
    out.push(e.name, e.effect);
  }
}
return out;
