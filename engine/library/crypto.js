/* SPDX-License-Identifier: MIT
 *
 * crypto.getRandomValues() and crypto.randomUUID(). Source of truth: the W3C's Web Cryptography
 * API; the form of a UUID is RFC 9562's version 4. Known limits: no crypto.subtle.
 */
(function makeCrypto(own, native, need) {
  "use strict";

  const MAX_BYTES = 65536;
  const { Uint8Array } = own;
  let isMaking = true;

  function fill(array) {
    const bytes = own.arrayBytes(array);

    if (bytes > 0) {
      native.randomBytes(own.arrayBuffer(array), own.arrayOffset(array), bytes);
    }
    return array;
  }

  function hex(byte) {
    return "0123456789abcdef"[byte >> 4] + "0123456789abcdef"[byte & 15];
  }

  class Crypto {
    #isOne = true;

    constructor() {
      if (!isMaking) {
        throw own.typeError("Illegal constructor");
      }
    }

    getRandomValues(array) {
      const name = own.classOf(array) === "TypedArray" ? own.typedArrayName(array) : "";

      if (name === "" || own.test(/^Float/, name)) {
        throw new own.DOMException("The array must be of integers", "TypeMismatchError");
      }
      if (own.arrayBytes(array) > MAX_BYTES) {
        throw new own.DOMException("The array holds " + own.arrayBytes(array) + " bytes; at most " +
                                   MAX_BYTES + " can be had at once", "QuotaExceededError");
      }
      return this.#isOne && fill(array);
    }

    randomUUID() {
      const bytes = this.#isOne && fill(new Uint8Array(16));
      let text = "";

      bytes[6] = bytes[6] & 0x0f | 0x40;
      bytes[8] = bytes[8] & 0x3f | 0x80;
      for (let i = 0; i < 16; i++) {
        text += (i === 4 || i === 6 || i === 8 || i === 10 ? "-" : "") + hex(bytes[i]);
      }
      return text;
    }

    static isOne(value) {
      return #isOne in value;
    }
  }

  const crypto = new Crypto();
  isMaking = false;
  need.finish(Crypto);
  return { __proto__: null, Crypto, crypto };
})
