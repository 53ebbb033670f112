await tools.write({ n: 1 });
await tools.write({ n: 2 });
tools.write({ n: 3 });
null.x;
