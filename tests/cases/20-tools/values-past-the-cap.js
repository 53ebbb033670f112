try {
  await tools.a({ list: Array(99999).fill(0) });
} catch (e) {
  return [e.name, /100,?000/.test(e.message)];
}
