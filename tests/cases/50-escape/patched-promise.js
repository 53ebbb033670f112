globalThis.Promise = function Fake() { throw new Error("fake"); };
const r = await tools.a({ n: 1 });
return r.text;
