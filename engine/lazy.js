/* SPDX-License-Identifier: MIT
 *
 * Globals that the engine lacks, each read from its part (engine/library) when a script first
 * uses it, so that a script which doesn't pays nothing for it.
 *
 * Until then such a global is an accessor that makes itself a plain property on the first read or
 * write, even by typeof. A part is a function of (own, native, need): need(name) is the
 * exports of another part, need.finish() gives a class what WebIDL wants of it.
 */
(function makeLazy(own, native) {
  "use strict";

  const { defineProperty } = own;
  const parts = { __proto__: null };

  function need(name) {
    if (parts[name] === undefined) {
      parts[name] = native.library(name)(own, native, need);
    }
    return parts[name];
  }

  function define(object, name, value, isEnumerable) {
    defineProperty(object, name, {
      __proto__: null, value, writable: true, configurable: true, enumerable: isEnumerable,
    });
  }

  /* Members that enumerate, a Symbol.toStringTag; a brand for structuredClone(), and, where there
   * is one, a shape for the console. A class tells its own objects by a static isOne. */
  need.finish = (made, shape) => {
    const prototype = made.prototype;
    const names = own.ownKeys(prototype);
    const isOne = made.isOne;

    delete made.isOne;
    for (let i = 0; i < names.length; i++) {
      if (names[i] !== "constructor" && typeof names[i] === "string") {
        defineProperty(prototype, names[i], { __proto__: null, enumerable: true });
      }
    }
    defineProperty(prototype, own.toStringTag, {
      __proto__: null, value: made.name, writable: false, configurable: true, enumerable: false,
    });
    if (isOne !== undefined) {
      own.brands[own.brands.n++] = isOne;
      if (shape !== undefined) {
        own.shapes[own.shapes.n++] = (value) => isOne(value) ? shape(value) : undefined;
      }
    }
  };
  need.define = define;

  function defineLazily(name, part) {
    defineProperty(globalThis, name, {
      __proto__: null, configurable: true, enumerable: false,
      get: () => {
        const value = need(part)[name];
        settle(name, value);
        return value;
      },
      set: (value) => settle(name, value),
    });
  }

  function settle(name, value) {
    const found = own.getOwnPropertyDescriptor(globalThis, name);

    if (found !== undefined && found.configurable) {
      define(globalThis, name, value, false);
    }
  }

  const globals = {
    __proto__: null,
    encoding: ["TextEncoder", "TextDecoder"],
    url: ["URL", "URLSearchParams"],
    clone: ["structuredClone"],
    crypto: ["crypto", "Crypto"],
    events: ["EventTarget", "Event", "AbortController", "AbortSignal"],
  };

  for (const part in globals) {
    for (let i = 0; i < globals[part].length; i++) {
      defineLazily(globals[part][i], part);
    }
  }
  return need;
})
