class Own extends Error {
  constructor() {
    super("own");
    this.name = "Own";
    this.extra = 1;
  }
}
return [new TypeError("t"), new RangeError("r"), new Own(), new Error("c", { cause: { x: 1 } })].map((e) => {
  const k = structuredClone(e);
  return [k.name, k.message, Object.getPrototypeOf(k).name, k.extra, k.cause, Object.keys(k)];
});
