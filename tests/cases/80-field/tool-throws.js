const answer = await tools.find({ id: 7 });
let refused;
try {
  await tools.find({ id: 8 });
} catch (error) {
  refused = [error.name, error.message, error.effect];
}
return [answer.isError, answer.text, refused];
