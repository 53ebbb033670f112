return ["latin1", "ascii", "iso-8859-1", "windows-1252"].map((x) => {
  const d = new TextDecoder(x);
  return d.encoding + " " + d.decode(new Uint8Array([0xe9, 0x80, 0x9f, 0x41, 0xff]));
});
