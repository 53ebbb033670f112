const b = new Uint8Array([0xef, 0xbb, 0xbf, 97, 0xef, 0xbb, 0xbf]);
const keep = new TextDecoder("utf-8", { ignoreBOM: true });
return [new TextDecoder().decode(b), keep.decode(b), keep.ignoreBOM].map(escape);
