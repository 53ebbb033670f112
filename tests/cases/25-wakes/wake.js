const value = await wake_agent({ progress: 0.5, of: ["a", null, 1e21] });
text("handed over");
return value === undefined;
