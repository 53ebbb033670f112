await Promise.all(Array.from({ length: 12 }, (_, i) => tools.a({ i })));
return 1;
