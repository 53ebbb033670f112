const d = new TextDecoder("utf-16le");
let text = "";
for (const b of [65, 0, 0x3d, 0xd8, 0, 0xde, 66]) {
  text += d.decode(new Uint8Array([b]), { stream: true }) + "|";
}
return escape(text + d.decode());
