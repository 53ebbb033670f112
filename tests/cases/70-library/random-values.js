const a = new Uint8Array(1000);
const part = new Uint32Array(4).subarray(1, 2);
return [crypto.getRandomValues(a) === a, new Set(a).size > 100, crypto.getRandomValues(part).length, new Uint32Array(part.buffer)[0], crypto.getRandomValues(new BigInt64Array(1)).length];
