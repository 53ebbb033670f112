await Promise.all(Array.from({ length: 40 }, (_, i) => tools.slow({ i })));
return "all";
