return [new Float64Array([1.5, NaN]), new BigInt64Array([5n]), new Uint8ClampedArray([300]), new Float32Array(0), new Int16Array(new ArrayBuffer(4))];
