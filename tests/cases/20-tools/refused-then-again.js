for (let i = 0; i < 2; i++) {
  try {
    return (await tools.a({ i })).text;
  } catch (e) {
    text(e.name);
  }
}
