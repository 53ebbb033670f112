return { total: 1 + 2 };
