try {
  await tools.a({ bytes: new Uint8Array(2) });
} catch (e) {
  return [e.name, e instanceof TypeError, e.message.includes("bytes")];
}
