return await tools.everything.get-sum({ a: 1 });
