text("before");
console.log("and this");
await tools.a({});
text("after");
return 1;
