text("waits");
await wake_agent("never done");
