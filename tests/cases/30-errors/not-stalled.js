await Promise.race([new Promise(() => {}), tools.a({})]);
return 1;
