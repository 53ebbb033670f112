wake_agent(1);
wake_agent(2).catch(() => text("never"));
await wake_agent(3);
