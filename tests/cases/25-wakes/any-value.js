for (const payload of ["text", 7, null, true, [1, 2], { }, new Date(0), { toJSON: () => "mine" }]) {
  await wake_agent(payload);
}
