/* SPDX-License-Identifier: MIT
 *
 * Values as JSON text: a call's arguments, strictly, and odd returned values, leniently.
 *
 * Arguments are read once, here, and nothing is lost on the way in silence: what JSON cannot
 * hold throws a TypeError that names the path. JSON.stringify() would drop or replace it,
 * and would read getters a second time after a check.
 */
(function makeEncode(own) {
  "use strict";

  const { quote, isArray, keys, setHas, setAdd, setDelete } = own;
  const MAX_LENIENT = 1000000; // values: this way is slow
  const identifier = /^[A-Za-z_$][\w$]*$/;

  function keyPath(key) {
    return own.test(identifier, key) ? "." + key : "[" + quote(key) + "]";
  }

  /* The path of a value from the frames that led to it. */
  function pathOf(frame) {
    let path = "";
    for (; frame.up !== null; frame = frame.up) {
      path = (typeof frame.key === "number" ? "[" + frame.key + "]" : keyPath(frame.key)) + path;
    }
    return frame.name + path;
  }

  function refuse(frame, what, instead) {
    throw own.typeError(pathOf(frame) + " is " + what + ", which JSON can't hold" +
                        (instead ? "; " + instead : ""));
  }

  /* What an object is beyond plain data, and what to write in its place; null for plain. */
  function oddity(value) {
    switch (own.classOf(value)) {
      case "Map": return ["a Map", "write Object.fromEntries(map)"];
      case "Set": return ["a Set", "write [...set]"];
      case "WeakMap": return ["a WeakMap", ""];
      case "WeakSet": return ["a WeakSet", ""];
      case "Promise": return ["a Promise", "await it first"];
      case "RegExp": return ["a RegExp", "write its .source"];
      case "Error": return ["an Error", "write its .message"];
      case "ArrayBuffer": return ["an ArrayBuffer", "write [...new Uint8Array(buffer)]"];
      case "TypedArray": return ["a typed array", "write Array.from(array)"];
      case "DataView": return ["a DataView", ""];
      default: return null;
    }
  }

  function encodeNumber(value, frame, state) {
    if (value - value === 0) {
      return "" + value;
    }
    if (state.isStrict) {
      refuse(frame, "" + value, "write a finite number or null");
    }
    return "null";
  }

  function encodeBigInt(value, frame, state) {
    if (own.BigInt(own.Number(value)) === value) {
      return "" + value;
    }
    if (state.isStrict) {
      refuse(frame, "a BigInt that a double can't hold", "write it as a string");
    }
    return quote("" + value);
  }

  function encodePrimitive(value, frame, state) {
    switch (typeof value) {
      case "string": return quote(value);
      case "number": return encodeNumber(value, frame, state);
      case "boolean": return value ? "true" : "false";
      case "bigint": return encodeBigInt(value, frame, state);
      case "symbol":
        if (state.isStrict) {
          refuse(frame, "a symbol", "");
        }
        return quote(own.symbolText(value));
      default: return undefined;
    }
  }

  function encodeArray(value, frame, state) {
    const length = value.length;
    let text = "[";

    for (let i = 0; i < length; i++) {
      const item = encodeValue(value[i], { __proto__: null, up: frame, key: i }, state);
      text += (i > 0 ? "," : "") + (item === undefined ? "null" : item);
    }
    return text + "]";
  }

  function encodeMembers(value, frame, state) {
    const names = keys(value);
    let text = "{";

    for (let i = 0; i < names.length; i++) {
      const name = names[i];
      const item = encodeValue(value[name], { __proto__: null, up: frame, key: name }, state);
      if (item !== undefined) {
        text += (text.length > 1 ? "," : "") + quote(name) + ":" + item;
      }
    }
    return text + "}";
  }

  function encodeObject(value, frame, state) {
    let text;

    if (setHas(state.above, value)) {
      if (state.isStrict) {
        refuse(frame, "part of itself (a cycle)", "");
      }
      return '"[Circular]"';
    }
    setAdd(state.above, value);
    text = isArray(value) ? encodeArray(value, frame, state) : encodeMembers(value, frame, state);
    setDelete(state.above, value);
    return text;
  }

  function encodeOdd(value, frame, state) {
    const odd = oddity(value);

    if (odd === null) {
      return encodeObject(value, frame, state);
    }
    if (state.isStrict) {
      refuse(frame, odd[0], odd[1]);
    }
    if (setHas(state.above, value)) {
      return '"[Circular]"';
    }
    setAdd(state.above, value);
    const text = encodeValue(own.usefulForm(value), frame, state);
    setDelete(state.above, value);
    return text;
  }

  /* A Date, a box of a primitive, or an object with a toJSON of its own: as JSON has them. */
  function unwrap(value, frame, state) {
    const kind = own.classOf(value);

    if (kind === "Date" && value.toJSON === own.dateToJSON) {
      if (own.dateTime(value) - own.dateTime(value) !== 0) {
        if (state.isStrict) {
          refuse(frame, "an invalid Date", "");
        }
        return "Invalid Date";
      }
      return own.dateText(value);
    }
    if (typeof value.toJSON === "function") {
      return value.toJSON(typeof frame.key === "undefined" ? "" : "" + frame.key);
    }
    switch (kind) {
      case "Number": return own.Number(value);
      case "String": return own.String(value);
      case "Boolean": return own.booleanValue(value);
      case "BigInt": return own.bigIntValue(value);
      default: return value;
    }
  }

  /* JSON text, or undefined for what is left out. */
  function encodeValue(value, frame, state) {
    if (++state.count > state.maxCount) {
      throw own.rangeError(state.what + " hold more than " + state.maxCount +
                           " values (max_args_values)");
    }
    if (value === null) {
      return "null";
    }
    if (typeof value === "object") {
      value = unwrap(value, frame, state);
    }
    if (value === null) {
      return "null";
    }
    if (typeof value === "function") {
      if (state.isStrict) {
        refuse(frame, "a function", "");
      }
      return quote(own.functionText(value));
    }
    return typeof value === "object" ? encodeOdd(value, frame, state)
                                     : encodePrimitive(value, frame, state);
  }

  /* The arguments of a call to tool: an object, or nothing. */
  function encodeArguments(tool, value, maxCount) {
    const root = { __proto__: null, up: null, key: undefined, name: "args" };

    if (value === undefined) {
      return "{}";
    }
    if (typeof value !== "object" || value === null || isArray(value)) {
      throw own.typeError("the arguments of " + tool + " must be an object, like { key: value }; " +
                          "this is " + (value === null ? "null" : isArray(value) ? "an array"
                            : typeof value === "undefined" ? "nothing" : "a " + typeof value));
    }
    const text = encodeValue(value, root, {
      __proto__: null, what: "the arguments of " + tool, maxCount, count: 0, isStrict: true,
      above: new own.Set(),
    });
    if (text === undefined || text[0] !== "{") {
      throw own.typeError("the arguments of " + tool + " must be an object; their toJSON " +
                          "makes something else of them");
    }
    return text;
  }

  /* A message: any value but none. */
  function encodePayload(value, maxCount) {
    const root = { __proto__: null, up: null, key: undefined, name: "payload" };
    const text = encodeValue(value, root, {
      __proto__: null, what: "the contents of the payload", maxCount, count: 0, isStrict: true,
      above: new own.Set(),
    });

    if (text === undefined) {
      throw own.typeError("wake_agent takes a value that JSON can hold; this is nothing");
    }
    return text;
  }

  /* The script's value where JSON.stringify() would not have it. */
  function encodeLenient(value) {
    const root = { __proto__: null, up: null, key: undefined, name: "value" };

    return encodeValue(value, root, {
      __proto__: null, what: "the contents of the value", maxCount: MAX_LENIENT, count: 0, isStrict: false,
      above: new own.Set(),
    });
  }

  return { __proto__: null, encodeArguments, encodePayload, encodeLenient };
})
