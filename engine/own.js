/* SPDX-License-Identifier: MIT
 *
 * The built-ins that the prelude uses, taken before any script runs.
 *
 * A script may replace or delete every one of them: the prelude calls these, and never
 * looks a method up on a value of the script's. Lists are made of literals, texts and
 * objects without a prototype, since an index setter on Array.prototype would see push().
 */
(function makeOwn(classNumber) {
  "use strict";

  const { apply, ownKeys } = Reflect;
  const uncurry = Function.prototype.bind.bind(Function.prototype.call);
  const getter = (object, name) => uncurry(Object.getOwnPropertyDescriptor(object, name).get);
  const { stringify } = JSON;
  const { Promise, Map, Set, Error, TypeError, RangeError, Number, String, BigInt } = globalThis;
  const { defineProperty, setPrototypeOf, getPrototypeOf, keys, hasOwn } = Object;
  const { getOwnPropertyDescriptor, getOwnPropertyNames, getOwnPropertySymbols } = Object;
  const TypedArray = getPrototypeOf(Uint8Array);
  const slice = uncurry(String.prototype.slice);
  const functionText = uncurry(Function.prototype.toString);
  const symbolText = uncurry(Symbol.prototype.toString);
  const objectText = uncurry(Object.prototype.toString);
  const typedArrayName = getter(TypedArray.prototype, Symbol.toStringTag);
  const exec = uncurry(RegExp.prototype.exec);
  const mapSize = getter(Map.prototype, "size");
  const setSize = getter(Set.prototype, "size");
  const dateTime = uncurry(Date.prototype.getTime);
  const regExpText = uncurry(RegExp.prototype.toString);
  const toWellFormed = uncurry(String.prototype.toWellFormed);
  const booleanValue = uncurry(Boolean.prototype.valueOf);
  const bigIntValue = uncurry(BigInt.prototype.valueOf);
  const numberValue = uncurry(Number.prototype.valueOf);
  const stringValue = uncurry(String.prototype.valueOf);
  const symbolValue = uncurry(Symbol.prototype.valueOf);
  const bufferLength = getter(ArrayBuffer.prototype, "byteLength");
  const viewLength = getter(DataView.prototype, "byteLength");
  const mapForEach = uncurry(Map.prototype.forEach);
  const setForEach = uncurry(Set.prototype.forEach);

  /* The class of an object by what it is inside, whatever its prototype says. */
  const classNames = { __proto__: null };
  const samples = {
    __proto__: null,
    Array: [], Error: new Error(""), Promise: Promise.resolve(), Map: new Map(), Set: new Set(),
    Date: new Date(0), RegExp: /x/, WeakMap: new WeakMap(), WeakSet: new WeakSet(),
    WeakRef: new WeakRef(Reflect), DataView: new DataView(new ArrayBuffer(1)),
    ArrayBuffer: new ArrayBuffer(1), SharedArrayBuffer: new SharedArrayBuffer(1),
    Proxy: new Proxy({}, {}), Number: Object(1), String: Object(""), Boolean: Object(true),
    BigInt: Object(1n), Symbol: Object(Symbol.iterator), Arguments: (function () {
      return arguments;
    })(), Generator: (function* () {})(), MapIterator: new Map().keys(),
    SetIterator: new Set().keys(), ArrayIterator: [].keys(),
  };
  for (const name of keys(samples)) {
    classNames[classNumber(samples[name])] = name;
  }
  classNames[classNumber(Function("return arguments")())] = "Arguments"; // a sloppy function's
  for (const name of getOwnPropertyNames(globalThis)) {
    if (typeof globalThis[name] === "function" && getPrototypeOf(globalThis[name]) === TypedArray) {
      classNames[classNumber(new globalThis[name]())] = "TypedArray";
    }
  }
  const classOf = (value) => classNames[classNumber(value)] || "Object";
  const ordinaryClass = classNumber({});
  const exceptionClass = classNumber(new DOMException());
  classNames[exceptionClass] = "Error";
  const viewBuffer = getter(DataView.prototype, "buffer");
  const viewOffset = getter(DataView.prototype, "byteOffset");

  /* What the library uses beside (engine/library), which is loaded after scripts have run. */
  const forLibrary = {
    __proto__: null,
    isOrdinary: (value) => classNumber(value) === ordinaryClass,
    isDOMException: (value) => classNumber(value) === exceptionClass,
    iterator: Symbol.iterator,
    IteratorPrototype: getPrototypeOf(getPrototypeOf([].values())),
    TypeError, RangeError, DOMException, Date, RegExp, Object, DataView, ArrayBuffer, Uint8Array,
    typedArrays: {
      __proto__: null, Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array,
      Int32Array, Uint32Array, BigInt64Array, BigUint64Array, Float16Array, Float32Array, Float64Array,
    },
    errorPrototypes: {
      __proto__: null, Error: Error.prototype, EvalError: EvalError.prototype,
      RangeError: RangeError.prototype, ReferenceError: ReferenceError.prototype,
      SyntaxError: SyntaxError.prototype, TypeError: TypeError.prototype,
      URIError: URIError.prototype,
    },
    bufferTransfer: uncurry(ArrayBuffer.prototype.transfer),
    bufferResize: uncurry(ArrayBuffer.prototype.resize),
    bufferDetached: getter(ArrayBuffer.prototype, "detached"),
    bufferResizable: getter(ArrayBuffer.prototype, "resizable"),
    bufferMaxLength: getter(ArrayBuffer.prototype, "maxByteLength"),
    viewBuffer, viewOffset,
    arrayBuffer: getter(TypedArray.prototype, "buffer"),
    arrayOffset: getter(TypedArray.prototype, "byteOffset"),
    arrayBytes: getter(TypedArray.prototype, "byteLength"),
    arraySet: uncurry(TypedArray.prototype.set),
    regExpSource: getter(RegExp.prototype, "source"),
    regExpFlags: getter(RegExp.prototype, "flags"),
    call: uncurry(Function.prototype.call),
    fromCode: String.fromCharCode, fromPoint: String.fromCodePoint,
    pointAt: uncurry(String.prototype.codePointAt),
    isWellFormed: uncurry(String.prototype.isWellFormed),
    normalize: uncurry(String.prototype.normalize),
    numberText: uncurry(Number.prototype.toString),
    toFixed: uncurry(Number.prototype.toFixed),
    sort: uncurry(Array.prototype.sort),
    queueMicrotask,
    mapMethods: { __proto__: null, get: Map.prototype.get, set: Map.prototype.set },
    brands: { __proto__: null, n: 0 }, // functions that know the library's own objects
    shapes: { __proto__: null, n: 0 }, // and functions that show them to inspect.js
  };

  return {
    __proto__: forLibrary,
    apply, ownKeys, uncurry, Promise, Map, Set, Error, Number, String, BigInt, Proxy,
    defineProperty, setPrototypeOf, getPrototypeOf, keys, hasOwn, getOwnPropertyDescriptor,
    getOwnPropertyNames, getOwnPropertySymbols, functionText, symbolText, objectText,
    typedArrayName, mapSize, setSize, dateTime, regExpText, toWellFormed, booleanValue,
    bigIntValue, numberValue, stringValue, symbolValue, bufferLength, viewLength, mapForEach,
    setForEach, classOf, stringify, slice, exec,
    quote: (text) => stringify(text),
    parse: JSON.parse,
    isArray: Array.isArray,
    is: Object.is,
    errorStack: getter(Error.prototype, "stack"),
    toStringTag: Symbol.toStringTag,
    toPrimitive: Symbol.toPrimitive,
    dispose: Symbol.dispose,
    dateNow: Date.now,
    max: Math.max, min: Math.min, floor: Math.floor, sqrt: Math.sqrt, round: Math.round,
    parseInt, parseFloat,
    test: (pattern, text) => exec(pattern, text) !== null,
    indexOf: uncurry(String.prototype.indexOf),
    lastIndexOf: uncurry(String.prototype.lastIndexOf),
    replaceAll: uncurry(String.prototype.replaceAll),
    typedArrayLength: getter(TypedArray.prototype, "length"),
    startsWith: uncurry(String.prototype.startsWith),
    repeat: uncurry(String.prototype.repeat),
    padStart: uncurry(String.prototype.padStart),
    padEnd: uncurry(String.prototype.padEnd),
    trimEnd: uncurry(String.prototype.trimEnd),
    codeAt: uncurry(String.prototype.charCodeAt),
    toLowerCase: uncurry(String.prototype.toLowerCase),
    mapGet: uncurry(Map.prototype.get),
    mapSet: uncurry(Map.prototype.set),
    mapHas: uncurry(Map.prototype.has),
    mapDelete: uncurry(Map.prototype.delete),
    setHas: uncurry(Set.prototype.has),
    setAdd: uncurry(Set.prototype.add),
    setDelete: uncurry(Set.prototype.delete),
    dateText: uncurry(Date.prototype.toISOString),
    dateToJSON: Date.prototype.toJSON,
    functionHas: uncurry(Function.prototype[Symbol.hasInstance]),
    typeError: (message) => new TypeError(message),
    rangeError: (message) => new RangeError(message),
    prototypes: {
      __proto__: null,
      Map: Map.prototype, Set: Set.prototype, Error: Error.prototype, RegExp: RegExp.prototype,
      Promise: Promise.prototype, TypedArray: TypedArray.prototype, BigInt: BigInt.prototype,
      ArrayBuffer: ArrayBuffer.prototype, Function: Function.prototype,
    },
    ErrorPrototype: Error.prototype,
    ObjectPrototype: Object.prototype,
    ArrayPrototype: Array.prototype,
  };
})
