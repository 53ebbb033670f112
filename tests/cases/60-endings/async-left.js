(async () => {
  for (let n = 1; n <= 3; n++) {
    await tools.a({ n });
    text("did " + n);
  }
})();
return "first";
