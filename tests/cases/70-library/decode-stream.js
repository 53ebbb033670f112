const d = new TextDecoder();
const bytes = [0xf0, 0x9f, 0x98, 0x80, 0xe2, 0x82, 0xac, 0xc3];
let text = "";
for (const b of bytes) {
  text += d.decode(new Uint8Array([b]), { stream: true }) + "|";
}
return [text, d.decode(), d.decode(new Uint8Array([97]))];
