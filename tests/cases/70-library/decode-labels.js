return [" UTF8 ", "Unicode-1-1-utf-8", "UCS-2", "L1", "utf-7", "", "shift_jis-nope"].map((x) => {
  try {
    return new TextDecoder(x).encoding;
  } catch (e) {
    return e.name;
  }
});
