Promise.resolve().then(() => tools.a({ late: true }));
return 1;
