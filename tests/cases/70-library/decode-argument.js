return ["x", [1], null, {}, 5].map((x) => {
  try {
    return new TextDecoder().decode(x);
  } catch (e) {
    return e.name;
  }
});
