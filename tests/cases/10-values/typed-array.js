return new Uint8Array([1, 2, 3]);
