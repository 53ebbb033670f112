try {
  await tools.a({});
} catch (e) {
  return e.message;
}
