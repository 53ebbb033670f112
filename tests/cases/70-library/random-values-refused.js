return [new Float64Array(1), new Uint8Array(65537), [], new DataView(new ArrayBuffer(1)), undefined].map((x) => {
  try {
    crypto.getRandomValues(x);
    return "no";
  } catch (e) {
    return e.name;
  }
});
