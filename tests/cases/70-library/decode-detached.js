const b = new ArrayBuffer(4);
structuredClone(b, { transfer: [b] });
return new TextDecoder().decode(b);
