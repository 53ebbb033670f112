class P {
  constructor() {
    this.a = 1;
  }
  get up() {
    return 2;
  }
}
const o = new P();
Object.defineProperty(o, "hidden", { value: 3 });
Object.defineProperty(o, "got", { get: () => 4, enumerable: true });
o[Symbol("s")] = 5;
const k = structuredClone(o);
return [k, Object.getPrototypeOf(k) === Object.prototype, Object.getOwnPropertyDescriptor(k, "got").value, "hidden" in k, Object.getOwnPropertySymbols(k).length];
