/* SPDX-License-Identifier: MIT
 *
 * setTimeout, setInterval, their clears, and sleep (HTML, "timers"; Node's timers where they differ).
 *
 * The queue is here, in the script's own memory: a binary heap by due time, then by creation. The
 * loop (src/cell/engine.c) asks when the next one is due, has the host wake it, and fires what
 * is due one by one, each followed by its jobs. The clock is the engine's monotonic one, so that a
 * script sees no timer fire early by performance.now().
 *
 * What setTimeout() returns is an object, as in Node, since code written for Node says
 * setTimeout(...).unref(); where a number is wanted it gives one, which the clears take too.
 * unref() changes nothing: a script that waits for a timer waits for it, and one that has
 * returned is held up by none.
 */
(function makeTimers(own, native, isClosed) {
  "use strict";

  const { defineProperty, mapGet, mapSet, mapDelete } = own;
  const NativePromise = own.Promise;
  const now = () => native.now();
  const MAX_DELAY_MS = 0x7fffffff;

  const heap = own.setPrototypeOf([], null);
  const numbered = new own.Map(); // number: entry, of those whose number somebody has seen
  let count = 0;
  let lastOrder = 0;
  let lastNumber = 0;
  let isAllowed = true;

  function isBefore(a, b) {
    return a.due < b.due || (a.due === b.due && a.order < b.order);
  }

  function place(entry, at) {
    heap[at] = entry;
    entry.at = at;
  }

  function siftUp(entry, at) {
    while (at > 0) {
      const up = (at - 1) >> 1;
      if (!isBefore(entry, heap[up])) {
        break;
      }
      place(heap[up], at);
      at = up;
    }
    place(entry, at);
  }

  function siftDown(entry, at) {
    for (let down = 2 * at + 1; down < count; down = 2 * at + 1) {
      if (down + 1 < count && isBefore(heap[down + 1], heap[down])) {
        down++;
      }
      if (!isBefore(heap[down], entry)) {
        break;
      }
      place(heap[down], at);
      at = down;
    }
    place(entry, at);
  }

  function insert(entry) {
    entry.due = now() + entry.delay;
    entry.order = ++lastOrder;
    siftUp(entry, count++);
  }

  function remove(entry) {
    const at = entry.at;

    if (at < 0) {
      return;
    }
    const last = heap[--count];
    heap.length = count;
    entry.at = -1;
    if (last !== entry) {
      siftDown(last, at);
      siftUp(last, last.at);
    }
  }

  function cancel(entry) {
    remove(entry);
    entry.isDone = true;
    mapDelete(numbered, entry.number);
  }

  /* The entry behind what a timer function returned; methods of a prototype that a script can
   * reach, over a slot that it can't. */
  let entryOf;
  let made = null; // the entry that a Timeout is made for
  class Timeout {
    #entry;
    constructor() {
      if (made === null) {
        throw own.typeError("Illegal constructor: use setTimeout");
      }
      this.#entry = made;
      made = null;
    }
    static {
      entryOf = (value) => #entry in value ? value.#entry : undefined;
    }
    ref() {
      this.#entry.isRef = true;
      return this;
    }
    unref() {
      this.#entry.isRef = false;
      return this;
    }
    hasRef() {
      return this.#entry.isRef;
    }
    refresh() {
      const entry = this.#entry;
      if (!entry.isDone && !isClosed()) {
        remove(entry);
        insert(entry);
      }
      return this;
    }
    close() {
      cancel(this.#entry);
      return this;
    }
  }
  const timeoutPrototype = Timeout.prototype;
  const hide = (name, value) => defineProperty(timeoutPrototype, name, {
    __proto__: null, value, writable: true, configurable: true, enumerable: false,
  });
  hide(own.toPrimitive, { [own.toPrimitive]() {
    const entry = entryOf(this);
    if (entry.number === 0) {
      entry.number = ++lastNumber;
      if (!entry.isDone) {
        mapSet(numbered, entry.number, entry);
      }
    }
    return entry.number;
  } }[own.toPrimitive]);
  if (own.dispose !== undefined) {
    hide(own.dispose, timeoutPrototype.close);
  }

  /* As Node: what is no number, or under 1, is 1. What is past any lifetime never fires, where Node
   * would take 1 for it. */
  function delayOf(value) {
    const delay = own.Number(value);
    return delay >= 1 ? own.min(own.floor(delay), MAX_DELAY_MS) : 1;
  }

  function add(name, callback, delay, args, isRepeated) {
    if (!isAllowed) {
      throw new own.Error(name + ": this script has no timers, the setting timers=0 takes them away");
    }
    if (typeof callback !== "function") {
      throw own.typeError(name + ": the first argument must be a function; this is " +
                          (callback === null ? "null" : callback === undefined ? "undefined"
                            : "a " + typeof callback));
    }
    const entry = {
      __proto__: null, due: 0, order: 0, at: -1, delay: delayOf(delay), isRepeated, callback, args,
      handle: null, number: 0, isRef: true, isDone: false,
    };
    made = entry;
    entry.handle = new Timeout();
    if (!isClosed()) {
      insert(entry);
    }
    return entry.handle;
  }

  function setTimeout(callback, delay, ...args) {
    return add("setTimeout", callback, delay, args, false);
  }

  function setInterval(callback, delay, ...args) {
    return add("setInterval", callback, delay, args, true);
  }

  function clear(timer) {
    const entry = typeof timer === "object" && timer !== null ? entryOf(timer)
      : typeof timer === "number" || typeof timer === "string"
        ? mapGet(numbered, own.Number(timer)) : undefined;

    if (entry !== undefined) {
      cancel(entry);
    }
  }

  const clears = {
    clearTimeout(timer) {
      clear(timer);
    },
    clearInterval(timer) {
      clear(timer);
    },
  };

  function sleep(ms) {
    return new NativePromise((resolve) => {
      add("sleep", () => resolve(), ms, [], false);
    });
  }

  /* High Resolution Time: the engine's own performance says 0 for timeOrigin, and that can't be
   * redefined. timeOrigin + now() is Date.now(). */
  let timeOrigin = 0;
  const performance = {
    now,
    get timeOrigin() {
      timeOrigin = timeOrigin || own.dateNow() - now();
      return timeOrigin;
    },
    toJSON() {
      return { timeOrigin: performance.timeOrigin };
    },
  };
  defineProperty(performance, own.toStringTag, {
    __proto__: null, value: "Performance", configurable: true,
  });

  /* When the next one is due, -1 for none. */
  function due() {
    return count > 0 ? heap[0].due : -1;
  }

  /* Runs the first one that was due at this time; whether there was one. */
  function fire(time) {
    const entry = count > 0 ? heap[0] : null;

    if (entry === null || entry.due > time) {
      return false;
    }
    remove(entry);
    if (!entry.isRepeated) {
      mapDelete(numbered, entry.number); // but refresh() may start it again
    }
    own.apply(entry.callback, entry.handle, entry.args);
    if (entry.isRepeated && !entry.isDone && entry.at < 0 && !isClosed()) {
      insert(entry);
    }
    return true;
  }

  function drop() {
    for (let i = 0; i < count; i++) {
      heap[i].at = -1;
    }
    count = 0;
    heap.length = 0;
  }

  return {
    __proto__: null, due, fire, drop, performance,
    countLeft: () => count,
    allow: (isOn) => {
      isAllowed = isOn;
    },
    globals: {
      __proto__: null, setTimeout, setInterval, clearTimeout: clears.clearTimeout,
      clearInterval: clears.clearInterval, sleep,
    },
  };
})
