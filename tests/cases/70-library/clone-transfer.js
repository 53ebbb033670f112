const b = new Uint8Array([7, 8]).buffer;
const k = structuredClone({ v: new Uint8Array(b) }, { transfer: [b] });
return [b.byteLength, [...k.v], k.v.buffer.byteLength];
