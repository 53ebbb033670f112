await Promise.all([1, 2, 3].map((n) => tools.a({ n })));
return 1;
