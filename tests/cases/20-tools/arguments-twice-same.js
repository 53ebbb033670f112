const shared = { s: 1 };
await tools.a({ one: shared, two: [shared, shared] });
