await tools.a({ n: 1 });
