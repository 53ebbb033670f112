/* SPDX-License-Identifier: MIT
 *
 * URLSearchParams. Source of truth: the WHATWG URL Standard, "URLSearchParams class" and
 * "application/x-www-form-urlencoded".
 *
 * Pairs are a list that counts in n. One that belongs to a URL tells it of each change.
 */
(function makeSearchParams(own, native, need) {
  "use strict";

  const { slice, indexOf, replaceAll } = own;
  const { encode, decode, sets, split } = need("host");

  function newList() {
    return { __proto__: null, n: 0 };
  }

  function textOf(value) {
    return own.toWellFormed(`${value}`);
  }

  function add(list, name, value) {
    list[list.n++] = { __proto__: null, name, value };
  }

  function parsePairs(text) {
    const list = newList();
    const parts = split(text, "&");

    for (let i = 0; i < parts.n; i++) {
      const part = replaceAll(parts[i], "+", " ");
      const equals = indexOf(part, "=");
      if (part !== "") {
        add(list, decode(equals < 0 ? part : slice(part, 0, equals)),
            equals < 0 ? "" : decode(slice(part, equals + 1)));
      }
    }
    return list;
  }

  function writePairs(list) {
    const form = (text) => replaceAll(encode(text, sets.form), "%20", "+");
    let result = "";

    for (let i = 0; i < list.n; i++) {
      result += (i > 0 ? "&" : "") + form(list[i].name) + "=" + form(list[i].value);
    }
    return result;
  }

  /* From a script's sequence of pairs: its own iterators run. */
  function fromSequence(init) {
    const list = newList();

    for (const pair of init) {
      if ((typeof pair !== "object" && typeof pair !== "function") || pair === null ||
          typeof pair[own.iterator] !== "function") {
        throw own.typeError("Each query pair must be an iterable [name, value] tuple");
      }
      const items = newList();
      for (const item of pair) {
        items[items.n++] = item;
      }
      if (items.n !== 2) {
        throw own.typeError("Each query pair must be an iterable [name, value] tuple");
      }
      add(list, textOf(items[0]), textOf(items[1]));
    }
    return list;
  }

  function fromRecord(init) {
    const list = newList();
    const names = own.ownKeys(init);

    for (let i = 0; i < names.length; i++) {
      const found = own.getOwnPropertyDescriptor(init, names[i]);
      if (found === undefined || !found.enumerable) {
        continue;
      }
      const name = textOf(names[i]);
      const value = textOf(init[names[i]]);
      let at = 0;
      while (at < list.n && list[at].name !== name) {
        at++;
      }
      if (at < list.n) {
        list[at].value = value;
      } else {
        add(list, name, value);
      }
    }
    return list;
  }

  function fromInit(init) {
    if ((typeof init === "object" || typeof init === "function") && init !== null) {
      const iterate = init[own.iterator];
      if (iterate !== undefined && iterate !== null) {
        return fromSequence(init);
      }
      return fromRecord(init);
    }
    const text = textOf(init);
    return parsePairs(text[0] === "?" ? slice(text, 1) : text);
  }

  function want(n, least, name) {
    if (n < least) {
      throw own.typeError(name + "() takes " + least + " argument" + (least > 1 ? "s" : "") +
                          ", but got " + n);
    }
  }

  class URLSearchParams {
    #list;
    #update = null;

    constructor(init = "") {
      this.#list = init === null ? newList() : fromInit(init);
    }

    #changed() {
      if (this.#update !== null) {
        this.#update(writePairs(this.#list));
      }
    }

    /* Keeps the pairs that may stay. */
    #keep(mayStay) {
      const list = this.#list;
      let n = 0;

      for (let i = 0; i < list.n; i++) {
        if (mayStay(list[i])) {
          list[n++] = list[i];
        }
      }
      list.n = n;
    }

    #find(name) {
      const list = this.#list;

      for (let i = 0; i < list.n; i++) {
        if (list[i].name === name) {
          return list[i];
        }
      }
      return null;
    }

    get size() {
      return this.#list.n;
    }

    append(name, value) {
      const list = this.#list;
      want(arguments.length, 2, "append");
      add(list, textOf(name), textOf(value));
      this.#changed();
    }

    delete(name, value = undefined) {
      this.#list;
      want(arguments.length, 1, "delete");
      const wanted = textOf(name);
      const text = value === undefined ? undefined : textOf(value);
      this.#keep((pair) => pair.name !== wanted || (text !== undefined && pair.value !== text));
      this.#changed();
    }

    get(name) {
      this.#list;
      want(arguments.length, 1, "get");
      const found = this.#find(textOf(name));
      return found === null ? null : found.value;
    }

    getAll(name) {
      const list = this.#list;
      want(arguments.length, 1, "getAll");
      const wanted = textOf(name);
      const values = [];
      for (let i = 0; i < list.n; i++) {
        if (list[i].name === wanted) {
          need.define(values, values.length, list[i].value, true);
        }
      }
      return values;
    }

    has(name, value = undefined) {
      const list = this.#list;
      want(arguments.length, 1, "has");
      const wanted = textOf(name);
      const text = value === undefined ? undefined : textOf(value);
      for (let i = 0; i < list.n; i++) {
        if (list[i].name === wanted && (text === undefined || list[i].value === text)) {
          return true;
        }
      }
      return false;
    }

    set(name, value) {
      this.#list;
      want(arguments.length, 2, "set");
      const wanted = textOf(name);
      const text = textOf(value);
      const found = this.#find(wanted);
      if (found === null) {
        add(this.#list, wanted, text);
      } else {
        found.value = text;
        this.#keep((pair) => pair === found || pair.name !== wanted);
      }
      this.#changed();
    }

    sort() {
      const list = this.#list;
      const sorted = [];
      for (let i = 0; i < list.n; i++) {
        need.define(sorted, i, list[i], true);
      }
      own.sort(sorted, (a, b) => a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
      for (let i = 0; i < list.n; i++) {
        list[i] = sorted[i];
      }
      this.#changed();
    }

    forEach(callback, thisValue = undefined) {
      const list = this.#list;
      if (typeof callback !== "function") {
        throw own.typeError("forEach() takes a function");
      }
      for (let i = 0; i < list.n; i++) {
        own.call(callback, thisValue, list[i].value, list[i].name, this);
      }
    }

    toString() {
      return writePairs(this.#list);
    }

    entries() {
      return newIterator(this.#list, "entries");
    }

    keys() {
      return newIterator(this.#list, "keys");
    }

    values() {
      return newIterator(this.#list, "values");
    }

    static isOne(value) {
      return #list in value;
    }

    /* For URL: the parameters of a query, which tell it of changes; and new ones later. */
    static ofURL(query, update) {
      const params = new URLSearchParams();
      params.#list = parsePairs(query);
      params.#update = update;
      return params;
    }

    static setQuery(params, query) {
      params.#list = parsePairs(query);
    }

    static listOf(params) {
      return params.#list;
    }
  }

  /* Iterators see changes, as the standard wants. */

  const iteratorPrototype = { __proto__: own.IteratorPrototype };
  let newIterator;

  {
    class Iterator {
      #list;
      #kind;
      #at = 0;

      constructor(list, kind) {
        this.#list = list;
        this.#kind = kind;
      }

      static next(iterator) {
        const list = iterator.#list;
        const at = iterator.#at;
        if (at >= list.n) {
          return { value: undefined, done: true };
        }
        iterator.#at++;
        const { name, value } = list[at];
        return {
          value: iterator.#kind === "keys" ? name : iterator.#kind === "values" ? value
            : [name, value],
          done: false,
        };
      }
    }

    newIterator = (list, kind) => own.setPrototypeOf(new Iterator(list, kind), iteratorPrototype);
    const { next } = Iterator;
    need.define(iteratorPrototype, "next", { next() {
      return next(this);
    } }.next, true);
    own.defineProperty(iteratorPrototype, own.toStringTag, {
      __proto__: null, value: "URLSearchParams Iterator", configurable: true,
    });
  }

  const { ofURL, setQuery, listOf } = URLSearchParams;
  delete URLSearchParams.ofURL;
  delete URLSearchParams.setQuery;
  delete URLSearchParams.listOf;
  need.finish(URLSearchParams, (value) => ({ __proto__: null, pairs: listOf(value) }));
  need.define(URLSearchParams.prototype, own.iterator, URLSearchParams.prototype.entries, false);

  return { __proto__: null, URLSearchParams, ofURL, setQuery };
})
