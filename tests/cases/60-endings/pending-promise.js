new Promise(() => {});
return 1;
