tools.a({});
setTimeout(() => { text("once"); tools.b({}); }, 5);
setTimeout(() => text("never"), 5000);
return 1;
