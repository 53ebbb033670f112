const b = new ArrayBuffer(4, { maxByteLength: 16 });
const k = structuredClone({ b, whole: new Uint8Array(b), part: new Uint8Array(b, 0, 2) });
k.b.resize(8);
return [k.b.maxByteLength, k.whole.length, k.part.length, b.byteLength];
