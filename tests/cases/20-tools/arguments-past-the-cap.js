const room = 1000 - '{"s":""}'.length;
try {
  await tools.a({ s: "x".repeat(room + 1) });
} catch (e) {
  return [e.name, e instanceof RangeError, e.message.includes("1000") || e.message.includes("1,000")];
}
