const define = Object.defineProperty;
for (const [o, names] of [[Array.prototype, ["push", "slice", "join", "map", "forEach", "indexOf"]], [String.prototype, ["slice", "indexOf", "charCodeAt", "codePointAt", "replace", "replaceAll", "split", "toLowerCase", "normalize", "toWellFormed"]], [RegExp.prototype, ["exec", "test"]], [Map.prototype, ["get", "set", "has"]], [Set.prototype, ["has", "add"]], [Object, ["keys", "defineProperty", "getOwnPropertyDescriptor", "getPrototypeOf"]], [Reflect, ["ownKeys", "apply"]], [Math, ["floor", "min"]], [Function.prototype, ["call", "apply", "bind"]]]) {
  for (const name of names) {
    o[name] = () => { throw new Error("patched " + name); };
  }
}
Array.prototype[Symbol.iterator] = RegExp.prototype[Symbol.replace] = String.prototype[Symbol.iterator] = () => { throw new Error("patched symbol"); };
define(Array.prototype, "0", { set() { throw new Error("patched 0"); }, configurable: true });
define(Uint8Array.prototype.__proto__, "length", { get() { throw new Error("patched length"); } });
define(Object.prototype, "enumerable", { get() { throw new Error("patched enumerable"); }, configurable: true });
Uint8Array = ArrayBuffer = Map = Set = Error = DOMException = String = RegExp = Promise = undefined;
const u = new URL("http://ü.example/a b?x=1&y=2#f", "http://b");
u.searchParams.append("z", "é");
const m = structuredClone({ a: { b: "c" }, d: { e: new Date(0) } });
const bytes = new TextEncoder().encode("é€");
return u.href + " " + m.a.b + " " + new TextDecoder("utf-16le").decode(bytes).length + new TextDecoder().decode(bytes) + crypto.randomUUID().length;
