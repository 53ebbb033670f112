const b = new Uint8Array(6);
new TextEncoder().encodeInto("xyz", b.subarray(2, 4));
return [...b];
