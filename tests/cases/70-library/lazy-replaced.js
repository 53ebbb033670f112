URL = 5;
globalThis.crypto = { own: true };
delete globalThis.TextEncoder;
structuredClone = (x) => x;
const o = {};
return [URL, crypto.own, typeof TextEncoder, structuredClone(o) === o, Object.keys(globalThis).includes("URL")];
