let value = 1;
for (let i = 0; i < 2001; i++) {
  value = [value];
}
await wake_agent(value).catch((e) => text(e.name, e.effect, e.message));
await wake_agent(value[0]);
