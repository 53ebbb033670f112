const log = [];
await new Promise((resolve) => {
  setTimeout((a, b) => log.push(a + b), 5, "x", "y");
  setTimeout(resolve, 40);
});
return log;
