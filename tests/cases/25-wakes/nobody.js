await wake_agent(1).catch((e) => text(e.name, e.effect, e.message));
await wake_agent(2);
