/* SPDX-License-Identifier: MIT
 *
 * TextEncoder and TextDecoder. Source of truth: the WHATWG Encoding Standard.
 *
 * Decodes utf-8, utf-16le, utf-16be and windows-1252 (which is what latin1 and ascii mean there),
 * by all their labels. Known limits: other encodings throw a RangeError that says so;
 * there are no TextEncoderStream and TextDecoderStream.
 */
(function makeEncoding(own, native, need) {
  "use strict";

  const { Uint8Array, codeAt, defineProperty } = own;

  const labels = {
    __proto__: null,
    "utf-8": "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8",
    "utf-16le": "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le",
    "utf-16be": "unicodefffe utf-16be",
    "windows-1252": "ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 " +
      "iso8859-1 iso88591 iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252",
  };

  /* What native.unitText() makes text of. */
  const LITTLE = 0;
  const BIG = 1;
  const LATIN = 2;

  function encodingOf(label) {
    const wanted = own.toLowerCase(trimSpace(`${label}`));

    for (const name in labels) {
      if (wanted !== "" && own.indexOf(wanted, " ") < 0 &&
          own.indexOf(" " + labels[name] + " ", " " + wanted + " ") >= 0) {
        return name;
      }
    }
    throw own.rangeError('The "' + label + '" encoding is not supported: utf-8, utf-16le, ' +
                         "utf-16be and windows-1252 (latin1) are");
  }

  function trimSpace(text) {
    return own.exec(/^[\t\n\f\r ]*([^]*?)[\t\n\f\r ]*$/, text)[1];
  }

  /* The bytes of a BufferSource as a Uint8Array of our own over its buffer. */
  function bytesOf(source, what) {
    const kind = typeof source === "object" && source !== null ? own.classOf(source) : "";

    if (kind === "ArrayBuffer" || kind === "SharedArrayBuffer") {
      return kind === "ArrayBuffer" && own.bufferDetached(source) ? new Uint8Array(0)
                                                                  : new Uint8Array(source);
    }
    if (kind === "TypedArray" && own.arrayBytes(source) > 0) {
      return new Uint8Array(own.arrayBuffer(source), own.arrayOffset(source),
                            own.arrayBytes(source));
    }
    if (kind === "TypedArray") {
      return new Uint8Array(0);
    }
    if (kind === "DataView") {
      return new Uint8Array(own.viewBuffer(source), own.viewOffset(source), own.viewLength(source));
    }
    throw own.typeError(what + " must be an ArrayBuffer, a typed array or a DataView");
  }

  /* UTF-8 with each broken sequence made U+FFFD, or thrown where isFatal. Bytes that more could
   * make a character, at the end of a stream's part, are left: state.left counts them. */
  function decodeUtf8(bytes, isFatal, isStream, state) {
    const length = own.typedArrayLength(bytes);
    const buffer = own.arrayBuffer(bytes);
    const offset = own.arrayOffset(bytes);
    let text = "";
    let from = 0;

    state.left = 0;
    while (from < length) {
      const good = native.utf8Scan(buffer, offset + from, length - from);
      if (good > 0) {
        text += native.utf8Text(buffer, offset + from, good);
        from += good;
        continue;
      }
      const bad = native.utf8Bad(buffer, offset + from, length - from);
      if (bad < 0 && isStream) {
        state.left = -bad;
        break;
      }
      if (isFatal) {
        throw own.typeError("The encoded data was not valid for encoding utf-8");
      }
      text += "\ufffd";
      from += bad < 0 ? -bad : bad;
    }
    return text;
  }

  function unitText(bytes, length, kind) {
    return length === 0 ? ""
      : native.unitText(own.arrayBuffer(bytes), own.arrayOffset(bytes), length, kind);
  }

  function decodeUtf16(bytes, isLittle, isFatal, isStream, state) {
    const length = own.typedArrayLength(bytes);
    const even = length - length % 2;
    let text = unitText(bytes, even, isLittle ? LITTLE : BIG);

    state.left = length - even;
    if (isStream && even > 0 && (codeAt(text, text.length - 1) & 0xfc00) === 0xd800) {
      text = own.slice(text, 0, text.length - 1); // its other half may come
      state.left += 2;
    }
    if (isFatal && (!own.isWellFormed(text) || (!isStream && state.left > 0))) {
      throw own.typeError("The encoded data was not valid for encoding utf-16" +
                          (isLittle ? "le" : "be"));
    }
    if (!isStream && state.left > 0) {
      text += "\ufffd";
      state.left = 0;
    }
    return own.toWellFormed(text);
  }

  function decodeLatin(bytes, state) {
    state.left = 0;
    return unitText(bytes, own.typedArrayLength(bytes), LATIN);
  }

  function joinBytes(a, b) {
    const length = own.typedArrayLength(a);
    const result = new Uint8Array(length + own.typedArrayLength(b));

    own.arraySet(result, a);
    own.arraySet(result, b, length);
    return result;
  }

  function lastBytes(bytes, n) {
    const length = own.typedArrayLength(bytes);
    const result = new Uint8Array(n);

    for (let i = 0; i < n; i++) {
      result[i] = bytes[length - n + i];
    }
    return result;
  }

  /* A member of an options object, as WebIDL reads a dictionary. */
  function option(options, name) {
    if (options === undefined || options === null) {
      return false;
    }
    if (typeof options !== "object" && typeof options !== "function") {
      throw own.typeError("the options must be an object");
    }
    return !!options[name];
  }

  class TextDecoder {
    #encoding;
    #isFatal;
    #isIgnoringMark;
    #isStream = false;
    #isPastMark = false;
    #left = null;

    constructor(label = "utf-8", options = undefined) {
      this.#encoding = encodingOf(label);
      this.#isFatal = option(options, "fatal");
      this.#isIgnoringMark = option(options, "ignoreBOM");
    }

    get encoding() {
      return this.#encoding;
    }

    get fatal() {
      return this.#isFatal;
    }

    get ignoreBOM() {
      return this.#isIgnoringMark;
    }

    decode(input = undefined, options = undefined) {
      let bytes = input === undefined ? new Uint8Array(0) : bytesOf(input, "the input");
      const isStream = option(options, "stream");
      const state = { __proto__: null, left: 0 };
      let text;

      if (!this.#isStream) {
        this.#isPastMark = false;
        this.#left = null;
      }
      this.#isStream = isStream;
      if (this.#left !== null) {
        bytes = joinBytes(this.#left, bytes);
        this.#left = null;
      }
      try {
        text = this.#decodeBytes(bytes, isStream, state);
      } catch (error) {
        this.#isStream = false;
        throw error;
      }
      this.#left = state.left > 0 ? lastBytes(bytes, state.left) : null;
      return this.#withoutMark(text);
    }

    #decodeBytes(bytes, isStream, state) {
      switch (this.#encoding) {
        case "utf-8": return decodeUtf8(bytes, this.#isFatal, isStream, state);
        case "windows-1252": return decodeLatin(bytes, state);
        default:
          return decodeUtf16(bytes, this.#encoding === "utf-16le", this.#isFatal, isStream, state);
      }
    }

    #withoutMark(text) {
      if (text === "" || this.#isPastMark || this.#isIgnoringMark ||
          this.#encoding === "windows-1252") {
        return text;
      }
      this.#isPastMark = true;
      return codeAt(text, 0) === 0xfeff ? own.slice(text, 1) : text;
    }

    static isOne(value) {
      return #encoding in value;
    }
  }

  /* As many whole characters of text as fit into bytes. */
  function encodeInto(text, bytes) {
    const room = own.typedArrayLength(bytes);
    let read = 0;
    let written = 0;

    while (read < text.length) {
      const point = own.pointAt(text, read);
      const size = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
      if (written + size > room) {
        break;
      }
      if (size === 1) {
        bytes[written] = point;
      } else {
        bytes[written] = (size === 2 ? 0xc0 : size === 3 ? 0xe0 : 0xf0) | point >> 6 * (size - 1);
        for (let i = 1; i < size; i++) {
          bytes[written + i] = 0x80 | point >> 6 * (size - 1 - i) & 0x3f;
        }
      }
      written += size;
      read += size === 4 ? 2 : 1;
    }
    return { read, written };
  }

  class TextEncoder {
    #isOne = true;

    get encoding() {
      return this.#isOne ? "utf-8" : "";
    }

    encode(input = "") {
      return new Uint8Array(this.#isOne && native.utf8Bytes(own.toWellFormed(`${input}`)));
    }

    encodeInto(source, destination) {
      if (arguments.length < 2 || own.classOf(destination) !== "TypedArray" ||
          own.typedArrayName(destination) !== "Uint8Array") {
        throw own.typeError("encodeInto() takes a string and a Uint8Array");
      }
      return this.#isOne && encodeInto(own.toWellFormed(`${source}`), bytesOf(destination));
    }

    static isOne(value) {
      return #isOne in value;
    }
  }

  need.finish(TextDecoder);
  need.finish(TextEncoder);
  defineProperty(TextEncoder.prototype.encode, "length", { __proto__: null, value: 0 });

  return {
    __proto__: null, TextEncoder, TextDecoder, bytesOf,
    textOfBytes: (bytes) => decodeUtf8(bytes, false, false, { __proto__: null, left: 0 }),
  };
})
