Promise.resolve().then(() => text("later"));
return 1;
