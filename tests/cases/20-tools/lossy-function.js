try {
  await tools.a({ a: { cb() {} } });
} catch (e) {
  return [e.name, e instanceof TypeError, e.message.includes("a.cb")];
}
