const b = new Uint8Array([1, 2, 3, 4]).buffer;
const k = structuredClone({ b, u: new Uint8Array(b, 1, 2), d: new DataView(b, 2) });
new Uint8Array(b)[1] = 9;
return [[...new Uint8Array(k.b)], [...k.u], k.u.byteOffset, k.u.buffer === k.b, k.d.buffer === k.b, k.d.byteLength, k.d.getUint8(0)];
