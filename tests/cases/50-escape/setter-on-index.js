Object.defineProperty(Array.prototype, 0, { set() { throw new Error("trapped"); }, configurable: true });
const r = await tools.a({ list: { x: 1 } });
return r.text;
