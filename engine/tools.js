/* SPDX-License-Identifier: MIT
 *
 * The tools object: every tool by its exact name, and "server.tool" also as members.
 *
 * A name that is no tool's gives a function all the same, which rejects with UnknownTool and
 * close names when it is called; but then, toJSON, toString, valueOf and symbols give undefined,
 * so that awaiting or printing a tools object does nothing odd.
 */
(function makeTools(own, call) {
  "use strict";

  const { defineProperty, hasOwn, quote } = own;

  /* What the language itself asks any object for. */
  const silent = { __proto__: null, then: 1, toJSON: 1, toString: 1, valueOf: 1 };

  let names = { __proto__: null }; // exact name: 1
  let nameList = [];

  function setNames(list) {
    nameList = list;
    for (let i = 0; i < list.length; i++) {
      names[list[i]] = 1;
    }
  }

  function isTool(name) {
    return names[name] !== undefined;
  }

  function put(object, key, value) {
    defineProperty(object, key, {
      __proto__: null, value, writable: true, configurable: true, enumerable: true,
    });
  }

  function distance(a, b) {
    let row = { __proto__: null };

    for (let j = 0; j <= b.length; j++) {
      row[j] = j;
    }
    for (let i = 1; i <= a.length; i++) {
      const next = { __proto__: null, 0: i };
      for (let j = 1; j <= b.length; j++) {
        next[j] = own.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
      }
      row = next;
    }
    return row[b.length];
  }

  /* How far a wanted name is from a tool's: what follows the last dot counts as a name too. */
  function nameDistance(wanted, name) {
    const a = own.toLowerCase(wanted);
    const b = own.toLowerCase(name);
    const dot = own.lastIndexOf(b, ".");
    const short = dot < 0 ? b : own.slice(b, dot + 1);
    const least = own.min(distance(a, b), distance(a, short));

    return own.startsWith(b, a + ".") || (own.indexOf(b, a) >= 0 && a.length > 2)
      ? own.min(least, 1) : least;
  }

  function unknownMessage(wanted) {
    const best = { __proto__: null, n: 0 };
    const asked = own.slice(wanted, 0, 64);
    const limit = own.max(2, own.floor(asked.length / 3));

    for (let i = 0; i < nameList.length && i < 2000; i++) {
      const away = nameDistance(asked, nameList[i]);
      if (away > limit) {
        continue;
      }
      let at = best.n;
      for (; at > 0 && best[at - 1].away > away; at--) {
        best[at] = best[at - 1];
      }
      best[at] = { __proto__: null, away, name: nameList[i] };
      best.n++;
    }
    let text = "there is no tool " + quote(asked);
    for (let i = 0; i < best.n && i < 3; i++) {
      text += (i === 0 ? "; close names: " : ", ") + quote(best[i].name);
    }
    if (best.n === 0) {
      text += nameList.length === 0 ? "; this script has no tools"
        : "; ALL_TOOLS lists the " + nameList.length + " there are";
    }
    return text;
  }

  function hasPrefix(prefix) {
    for (let i = 0; i < nameList.length; i++) {
      if (own.startsWith(nameList[i], prefix)) {
        return true;
      }
    }
    return false;
  }

  /* What a script may have meant by a bare name: a server, a tool, or the last part of a tool's
   * name; "" where there is nothing of the kind. */
  function toolNamed(name) {
    if (hasPrefix(name + ".") || isTool(name)) {
      return "tools." + name;
    }
    for (let i = 0; i < nameList.length; i++) {
      const dot = own.lastIndexOf(nameList[i], ".");
      const last = own.slice(nameList[i], dot + 1);
      if (dot >= 0 && (last === name || own.indexOf(last, "-" + name) >= 0)) {
        return "tools[" + quote(nameList[i]) + "]";
      }
    }
    return "";
  }

  /* A function that calls the tool of this name. Where the name begins those of others
   * ("server.tool"), its members lead on to them. */
  function makeCaller(name) {
    if (names[name] === undefined && hasPrefix(name + ".")) {
      const target = (args) => call(name, args);
      delete target.name;
      delete target.length;
      return makeNamespace(name + ".", target);
    }
    const caller = ({ [name]: (args) => call(name, args) })[name];
    return names[name] === undefined ? makeUnknown(name, caller) : caller;
  }

  /* A name that is no tool's and begins none: its members are no tools either, and say so by their
   * whole name when they are called. */
  function makeUnknown(name, caller) {
    return new own.Proxy(caller, {
      __proto__: null,
      get: (object, key) => typeof key !== "string" || key === "then" || key in object
        ? object[key] : makeCaller(name + "." + key),
    });
  }

  /* In a string, a template or a sum. */
  const asText = () => "[object Tools]";

  function makeNamespace(prefix, target) {
    const cache = { __proto__: null };

    function find(key) {
      if (typeof key !== "string" || (silent[key] === 1 && names[prefix + key] === undefined)) {
        return undefined;
      }
      if (hasOwn(cache, key)) {
        return cache[key];
      }
      return cache[key] = makeCaller(prefix + key);
    }

    function list() {
      const found = [];
      for (let i = 0; i < nameList.length; i++) {
        if (own.startsWith(nameList[i], prefix)) {
          put(found, found.length, own.slice(nameList[i], prefix.length));
        }
      }
      return found;
    }

    return new own.Proxy(target, {
      __proto__: null,
      get: (object, key) => key === own.toPrimitive ? asText : find(key),
      set: (object, key, value) => {
        put(cache, key, value);
        return true;
      },
      defineProperty: (object, key, descriptor) => {
        put(cache, key, descriptor.value);
        return true;
      },
      deleteProperty: (object, key) => delete cache[key],
      has: (object, key) => typeof key === "string" &&
        (names[prefix + key] !== undefined || hasPrefix(prefix + key + ".")),
      ownKeys: list,
      getOwnPropertyDescriptor: (object, key) =>
        typeof key === "string" && names[prefix + key] !== undefined
          ? { __proto__: null, value: find(key), writable: true, enumerable: true, configurable: true }
          : undefined,
      getPrototypeOf: () => null,
    });
  }

  return {
    __proto__: null, setNames, isTool, toolNamed, unknownMessage,
    tools: makeNamespace("", { __proto__: null }),
  };
})
