/* SPDX-License-Identifier: MIT
 *
 * EventTarget, Event, AbortController, AbortSignal. Source of truth: the WHATWG DOM Standard.
 *
 * Known limits: there is no tree, so no capturing and bubbling; no CustomEvent. An error in
 * a listener escapes like one in a microtask, and ends the script as failed.
 */
(function makeEvents(own, native, need) {
  "use strict";

  const setTimeout = own.setTimeout;

  function newList() {
    return { __proto__: null, n: 0 };
  }

  function option(options, name) {
    return typeof options === "object" && options !== null ? options[name] : undefined;
  }

  let dispatch;

  class Event {
    #type;
    #target = null;
    #isDispatched = false;
    #isStopped = false;
    #isCanceled = false;
    #isCancelable;
    #isBubbling;
    #time = native.now();

    constructor(type, options = undefined) {
      if (arguments.length === 0) {
        throw own.typeError("Event() takes a type");
      }
      this.#type = `${type}`;
      this.#isBubbling = !!option(options, "bubbles");
      this.#isCancelable = !!option(options, "cancelable");
    }

    get type() {
      return this.#type;
    }

    get target() {
      return this.#target;
    }

    get currentTarget() {
      return this.#isDispatched ? this.#target : null;
    }

    get bubbles() {
      return this.#isBubbling;
    }

    get cancelable() {
      return this.#isCancelable;
    }

    get defaultPrevented() {
      return this.#isCanceled;
    }

    get timeStamp() {
      return this.#time;
    }

    preventDefault() {
      this.#isCanceled = this.#isCanceled || this.#isCancelable;
    }

    stopPropagation() {
      this.#type;
    }

    stopImmediatePropagation() {
      this.#isStopped = true;
    }

    static isOne(value) {
      return #type in value;
    }

    static {
      dispatch = (event, target, listeners) => {
        if (event.#isDispatched) {
          throw new own.DOMException("The event is already being dispatched", "InvalidStateError");
        }
        event.#isDispatched = true;
        event.#isStopped = false;
        event.#target = target;
        try {
          listeners(event.#type, () => event.#isStopped);
        } finally {
          event.#isDispatched = false;
        }
        return !event.#isCanceled;
      };
    }
  }

  const isEvent = Event.isOne;

  function report(error) {
    own.queueMicrotask(() => {
      throw error;
    });
  }

  class EventTarget {
    #listeners = newList();

    addEventListener(type, callback, options = undefined) {
      const list = this.#listeners;
      const name = `${type}`;
      const isCapture = typeof options === "boolean" ? options : !!option(options, "capture");
      const signal = option(options, "signal");

      if (callback === null || callback === undefined || (signal !== undefined && signal.aborted)) {
        return;
      }
      for (let i = 0; i < list.n; i++) {
        if (list[i].name === name && list[i].callback === callback &&
            list[i].isCapture === isCapture) {
          return;
        }
      }
      list[list.n++] = { __proto__: null, name, callback, isCapture, isRemoved: false,
                         isOnce: !!option(options, "once") };
      if (signal !== undefined) {
        signal.addEventListener("abort", () => this.#remove(name, callback, isCapture));
      }
    }

    #remove(name, callback, isCapture) {
      const list = this.#listeners;
      let n = 0;

      for (let i = 0; i < list.n; i++) {
        const listener = list[i];
        if (listener.name === name && listener.callback === callback &&
            listener.isCapture === isCapture) {
          listener.isRemoved = true;
        } else {
          list[n++] = listener;
        }
      }
      list.n = n;
    }

    removeEventListener(type, callback, options = undefined) {
      this.#remove(`${type}`, callback,
                   typeof options === "boolean" ? options : !!option(options, "capture"));
    }

    dispatchEvent(event) {
      if (typeof event !== "object" || event === null || !isEvent(event)) {
        throw own.typeError("dispatchEvent() takes an Event");
      }
      return this.#dispatch(event);
    }

    #dispatch(event) {
      return dispatch(event, this, (type, isStopped) => {
        const list = newList();
        for (let i = 0; i < this.#listeners.n; i++) {
          list[list.n++] = this.#listeners[i];
        }
        for (let i = 0; i < list.n && !isStopped(); i++) {
          if (list[i].name === type && !list[i].isRemoved) {
            this.#run(list[i], event);
          }
        }
      });
    }

    #run(listener, event) {
      const { callback } = listener;

      if (listener.isOnce) {
        this.#remove(listener.name, callback, listener.isCapture);
      }
      try {
        if (typeof callback === "function") {
          own.call(callback, this, event);
        } else {
          callback.handleEvent(event);
        }
      } catch (error) {
        report(error);
      }
    }

    static isOne(value) {
      return #listeners in value;
    }

    static fire(target, event) {
      target.#dispatch(event);
    }
  }

  const { fire } = EventTarget;
  const { addEventListener } = EventTarget.prototype;
  delete EventTarget.fire;

  let isMaking = false;
  let abort;

  class AbortSignal extends EventTarget {
    #isAborted = false;
    #reason = undefined;
    #handler = null;
    #isListening = false;
    #dependents = newList();

    constructor() {
      if (!isMaking) {
        throw own.typeError("Illegal constructor");
      }
      super();
    }

    get aborted() {
      return this.#isAborted;
    }

    get reason() {
      return this.#reason;
    }

    get onabort() {
      return this.#handler;
    }

    set onabort(value) {
      this.#handler = typeof value === "function" ? value : null;
      if (!this.#isListening) {
        this.#isListening = true; // its place among the listeners is that of its first setting
        own.call(addEventListener, this, "abort", (event) => {
          if (this.#handler !== null) {
            own.call(this.#handler, this, event);
          }
        });
      }
    }

    throwIfAborted() {
      if (this.#isAborted) {
        throw this.#reason;
      }
    }

    static abort(reason = undefined) {
      const signal = newSignal();
      abort(signal, reason);
      return signal;
    }

    static timeout(ms) {
      const signal = newSignal();
      if (setTimeout === undefined) {
        throw own.typeError("AbortSignal.timeout() needs timers");
      }
      setTimeout(() => abort(signal, new own.DOMException(
        "The operation was aborted due to timeout", "TimeoutError")), ms);
      return signal;
    }

    static any(signals) {
      const result = newSignal();
      for (const signal of signals) {
        if (signal.#isAborted) {
          result.#isAborted = true;
          result.#reason = signal.#reason;
          break;
        }
        signal.#dependents[signal.#dependents.n++] = result;
      }
      return result;
    }

    static isOne(value) {
      return #isAborted in value;
    }

    static shape(value) {
      return { __proto__: null, members: { aborted: value.#isAborted } };
    }

    static {
      abort = (signal, reason) => {
        if (signal.#isAborted) {
          return;
        }
        signal.#isAborted = true;
        signal.#reason = reason === undefined
          ? new own.DOMException("This operation was aborted", "AbortError") : reason;
        fire(signal, new Event("abort"));
        for (let i = 0; i < signal.#dependents.n; i++) {
          abort(signal.#dependents[i], signal.#reason);
        }
      };
    }
  }

  function newSignal() {
    isMaking = true;
    const signal = new AbortSignal();
    isMaking = false;
    return signal;
  }

  class AbortController {
    #signal = newSignal();

    get signal() {
      return this.#signal;
    }

    abort(reason = undefined) {
      abort(this.#signal, reason);
    }

    static isOne(value) {
      return #signal in value;
    }

    static shape(value) {
      return { __proto__: null, members: { signal: value.#signal } };
    }
  }

  const controllerShape = AbortController.shape;
  const signalShape = AbortSignal.shape;
  delete AbortController.shape;
  delete AbortSignal.shape;
  need.finish(Event);
  need.finish(EventTarget);
  need.finish(AbortController, controllerShape);
  need.finish(AbortSignal, signalShape);
  return { __proto__: null, Event, EventTarget, AbortController, AbortSignal };
})
