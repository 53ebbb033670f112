const calls = [];
for (let i = 0; i < 20; i++) {
  calls.push(tools.work({ i }));
}
await wake_agent("all places are taken");
text("past");
await Promise.all(calls);
