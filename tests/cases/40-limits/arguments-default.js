try {
  await tools.a({ s: "x".repeat(4 * 1024 * 1024) });
} catch (e) {
  return [e.name, e.message.includes("max_args_bytes") || /4 ?MiB|4194304|4,194,304/.test(e.message)];
}
