const all = [1, 2, 3].map((n) => tools.a({ n }).then((r) => tools.b({ of: r.text })));
await Promise.all(all);
return 1;
