try {
  await tools.a({ list: [1, -Infinity] });
} catch (e) {
  return [e.name, e instanceof TypeError, e.message.includes("list")];
}
