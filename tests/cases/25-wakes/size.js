try {
  await wake_agent("x".repeat(65535));
} catch (e) {
  text(e.name + ": " + e.message);
}
await wake_agent("x" + "é".repeat(32766) + "y"); // 65,536 bytes with its quotes
