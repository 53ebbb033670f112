/* SPDX-License-Identifier: MIT
 *
 * structuredClone(). Source of truth: the HTML Standard, "Safe passing of structured data".
 *
 * Copies primitives and their objects, Date, RegExp, Map, Set, the errors (with stack and
 * cause, as engines do), ArrayBuffer, typed arrays, DataView, arrays and plain objects, cycles
 * and shared parts included. Everything else is a DataCloneError.
 * Known limits: a SharedArrayBuffer is handed on as the same object; a transferred buffer is
 * copied and then detached, so for a moment both are there.
 */
(function makeClone(own, native, need) {
  "use strict";

  const { defineProperty, hasOwn, mapSet, Map, Set, keys } = own;

  function refuse(value) {
    let form;

    if (typeof value === "function") {
      form = own.functionText(value);
    } else if (typeof value === "symbol") {
      form = own.symbolText(value);
    } else {
      form = "#<" + nameOf(value) + ">";
    }
    return new own.DOMException(form + " could not be cloned.", "DataCloneError");
  }

  function nameOf(value) {
    const kind = own.classOf(value);

    if (kind !== "Object") {
      return kind === "Proxy" ? "Object" : kind;
    }
    for (let at = value; at !== null; at = own.getPrototypeOf(at)) {
      const found = own.getOwnPropertyDescriptor(at, "constructor");
      if (found !== undefined && typeof found.value === "function") {
        const name = own.getOwnPropertyDescriptor(found.value, "name");
        return name !== undefined && typeof name.value === "string" ? name.value : kind;
      }
    }
    return kind;
  }

  /* Sets a member whatever setters the script has put on prototypes. */
  function put(object, key, value) {
    if (key in object) {
      defineProperty(object, key, {
        __proto__: null, value, writable: true, configurable: true, enumerable: true,
      });
    } else {
      object[key] = value;
    }
  }

  function isOurs(value) {
    for (let i = 0; i < own.brands.n; i++) {
      if (own.brands[i](value)) {
        return true;
      }
    }
    return false;
  }

  function cloneBuffer(buffer) {
    if (own.bufferDetached(buffer)) {
      throw new own.DOMException("An ArrayBuffer is detached and could not be cloned.",
                                 "DataCloneError");
    }
    const length = own.bufferLength(buffer);
    const copy = own.bufferResizable(buffer)
      ? new own.ArrayBuffer(length, { __proto__: null, maxByteLength: own.bufferMaxLength(buffer) })
      : new own.ArrayBuffer(length);

    own.arraySet(new own.Uint8Array(copy), new own.Uint8Array(buffer));
    return copy;
  }

  /* Whether a view's length follows its buffer's: then it must be made without a length. */
  function tracksLength(view, buffer, read) {
    if (own.classOf(buffer) !== "ArrayBuffer" || !own.bufferResizable(buffer)) {
      return false;
    }
    const length = own.bufferLength(buffer);
    const max = own.bufferMaxLength(buffer);
    const before = read(view);
    const other = length < max ? length + 8 <= max ? length + 8 : max : length;

    if (other === length) {
      return false;
    }
    own.bufferResize(buffer, other);
    const isTracking = read(view) !== before;
    own.bufferResize(buffer, length);
    return isTracking;
  }

  function cloneView(view, isDataView, memory) {
    const buffer = isDataView ? own.viewBuffer(view) : own.arrayBuffer(view);
    const offset = isDataView ? own.viewOffset(view) : own.arrayOffset(view);
    const read = isDataView ? own.viewLength : own.typedArrayLength;
    const copy = clone(buffer, memory);
    const maker = isDataView ? own.DataView : own.typedArrays[own.typedArrayName(view)];

    return tracksLength(view, buffer, read) ? new maker(copy, offset)
                                            : new maker(copy, offset, read(view));
  }

  function cloneError(error, memory) {
    let name = error.name;
    name = name === undefined ? "Error" : `${name}`;
    const message = own.getOwnPropertyDescriptor(error, "message");
    const cause = own.getOwnPropertyDescriptor(error, "cause");
    const prototype = own.errorPrototypes[name] || own.errorPrototypes.Error;
    const copy = new own.Error();

    memory.set(error, copy);
    own.setPrototypeOf(copy, prototype);
    if (message !== undefined && "value" in message) {
      need.define(copy, "message", `${message.value}`, false);
    }
    if (cause !== undefined && "value" in cause) {
      need.define(copy, "cause", clone(cause.value, memory), false);
    }
    const stack = error.stack;
    if (typeof stack === "string") {
      need.define(copy, "stack", stack, false);
    }
    return copy;
  }

  function cloneMap(map, memory) {
    const copy = new Map();
    const list = { __proto__: null, n: 0 };

    memory.set(map, copy);
    own.mapForEach(map, (value, key) => {
      list[list.n++] = key;
      list[list.n++] = value;
    });
    for (let i = 0; i < list.n; i += 2) {
      const key = clone(list[i], memory);
      mapSet(copy, key, clone(list[i + 1], memory));
    }
    return copy;
  }

  function cloneSet(set, memory) {
    const copy = new Set();
    const list = { __proto__: null, n: 0 };

    memory.set(set, copy);
    own.setForEach(set, (value) => {
      list[list.n++] = value;
    });
    for (let i = 0; i < list.n; i++) {
      own.setAdd(copy, clone(list[i], memory));
    }
    return copy;
  }

  function cloneMembers(value, copy, memory) {
    const names = keys(value);

    memory.set(value, copy);
    for (let i = 0; i < names.length; i++) {
      const item = value[names[i]];
      if (item !== undefined || hasOwn(value, names[i])) {
        put(copy, names[i], isPlain(item) ? item : clone(item, memory));
      }
    }
    return copy;
  }

  /* Names of indices come first: where the last name is the last index, and there are as many
   * as the length says, there is nothing but items. */
  function cloneArray(value, memory) {
    const { length } = value;
    const names = keys(value);
    const copy = [];

    if (length === 0 || names.length !== length || names[length - 1] !== "" + (length - 1)) {
      cloneMembers(value, copy, memory);
      if (copy.length !== length) {
        copy.length = length; // holes at the end
      }
      return copy;
    }
    memory.set(value, copy);
    for (let i = 0; i < length; i++) {
      const item = value[i];
      if (item !== undefined || hasOwn(value, i)) {
        put(copy, i, isPlain(item) ? item : clone(item, memory));
      }
    }
    return copy;
  }

  function isPlain(value) {
    const kind = typeof value;

    return kind === "number" || kind === "string" || kind === "boolean" || kind === "undefined";
  }

  function make(value, kind, memory) {
    switch (kind) {
      case "Boolean": return own.Object(own.booleanValue(value));
      case "Number": return own.Object(own.numberValue(value));
      case "String": return own.Object(own.stringValue(value));
      case "BigInt": return own.Object(own.bigIntValue(value));
      case "Date": return new own.Date(own.dateTime(value));
      case "RegExp": return new own.RegExp(own.regExpSource(value), own.regExpFlags(value));
      case "ArrayBuffer": return cloneBuffer(value);
      case "SharedArrayBuffer": return value;
      case "TypedArray": return cloneView(value, false, memory);
      case "DataView": return cloneView(value, true, memory);
      case "Map": return cloneMap(value, memory);
      case "Set": return cloneSet(value, memory);
      case "Error":
        return own.isDOMException(value) ? new own.DOMException(value.message, value.name)
                                         : cloneError(value, memory);
      default: throw refuse(value);
    }
  }

  function clone(value, memory) {
    if (typeof value === "function" || typeof value === "symbol") {
      throw refuse(value);
    }
    if (typeof value !== "object" || value === null) {
      return value;
    }
    const known = memory.get(value);
    if (known !== undefined) {
      return known;
    }
    const kind = own.classOf(value);
    if (kind === "Array") {
      return cloneArray(value, memory);
    }
    if (kind === "Object" && own.isOrdinary(value) && !isOurs(value)) {
      return cloneMembers(value, {}, memory);
    }
    const copy = make(value, kind, memory);
    memory.set(value, copy);
    return copy;
  }

  /* A Map with its own methods, which no script has replaced. */
  function newMemory() {
    const memory = new Map();

    need.define(memory, "get", own.mapMethods.get, false);
    need.define(memory, "set", own.mapMethods.set, false);
    return memory;
  }

  /* The buffers of an options object's transfer list. */
  function transferred(options) {
    const list = { __proto__: null, n: 0 };
    const seen = new Set();

    if (options === undefined || options === null) {
      return list;
    }
    if (typeof options !== "object" && typeof options !== "function") {
      throw own.typeError("the options of structuredClone must be an object");
    }
    const transfer = options.transfer;
    if (transfer === undefined) {
      return list;
    }
    for (const item of transfer) {
      if ((typeof item !== "object" && typeof item !== "function") || item === null) {
        throw own.typeError("only objects can be in the transfer list");
      }
      if (own.classOf(item) !== "ArrayBuffer") {
        throw new own.DOMException("Value could not be cloned: only an ArrayBuffer can be " +
                                   "transferred", "DataCloneError");
      }
      if (own.setHas(seen, item)) {
        throw new own.DOMException("An ArrayBuffer is twice in the transfer list",
                                   "DataCloneError");
      }
      own.setAdd(seen, item);
      list[list.n++] = item;
    }
    return list;
  }

  /* As a method, so that it can't be called with new. */
  const { structuredClone } = {
    structuredClone(value, options = undefined) {
      if (arguments.length === 0) {
        throw own.typeError("The value argument must be specified");
      }
      const list = transferred(options);
      const copy = clone(value, newMemory());

      for (let i = 0; i < list.n; i++) {
        if (own.bufferDetached(list[i])) {
          throw new own.DOMException("An ArrayBuffer is detached and could not be cloned.",
                                     "DataCloneError");
        }
      }
      for (let i = 0; i < list.n; i++) {
        own.bufferTransfer(list[i]);
      }
      return copy;
    },
  };

  return { __proto__: null, structuredClone };
})
