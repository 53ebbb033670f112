text("before");
await wake_agent(1);
text("after");
