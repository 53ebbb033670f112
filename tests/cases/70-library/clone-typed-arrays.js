return [Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array, Float32Array, Float64Array, BigInt64Array, BigUint64Array].map((T) => {
  const k = structuredClone(new T(2).fill(T.name.startsWith("Big") ? 3n : 3));
  return k.constructor === T && k.length === 2 && k[1] == 3;
}).every((x) => x);
