await wake_agent(1);
await wake_agent(2);
try {
  await wake_agent(3);
} catch (e) {
  text(e instanceof WakeRefused, e instanceof Error, e.name, e.effect, "tool" in e, e.message);
}
