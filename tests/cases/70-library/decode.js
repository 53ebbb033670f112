const b = new Uint8Array([120, 195, 169, 121]);
const d = new TextDecoder();
return [d.decode(b), d.decode(b.subarray(1, 3)), d.decode(b.buffer), d.decode(new DataView(b.buffer, 3)), d.decode(), d.decode(new Uint16Array([0x4241]))];
