const d = new TextDecoder("utf-8", { fatal: true });
const out = [d.fatal, d.decode(new Uint8Array([195, 169]))];
for (const x of [[0xff], [0xc3], [0xed, 0xa0, 0x80]]) {
  try {
    out.push(d.decode(new Uint8Array(x)));
  } catch (e) {
    out.push(e.name);
  }
}
return [...out, d.decode(new Uint8Array([97]))];
