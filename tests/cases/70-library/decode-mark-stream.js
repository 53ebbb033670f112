const d = new TextDecoder();
let text = "";
for (const b of [0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf, 97]) {
  text += d.decode(new Uint8Array([b]), { stream: true });
}
return escape(text + d.decode());
