tools.a({});
await tools.b({});
