await wake_agent(1);
