const r = await tools.a({ n: 1 });
return [r.text, [1, 2, 3].map((x) => x * 2)];
