const cycle = { in: {} };
cycle.in.self = cycle;
for (const payload of [undefined, () => 1, Symbol("s"), 2n ** 64n + 1n, { a: [new Map()] }, NaN, cycle]) {
  await wake_agent(payload).catch((e) => text(e.name + ": " + e.message));
}
