try {
  await tools.toola({});
} catch (e) {
  return ["tool1", "tool2", "tool3", "tool4", "zzzzzzzz"].filter((n) => e.message.includes(n)).length;
}
