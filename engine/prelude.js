/* SPDX-License-Identifier: MIT
 *
 * What a script sees beside ECMAScript: tools, ALL_TOOLS, text, console, wake_agent, the error
 * classes.
 *
 * Evaluated once in the zygote, before any script is known; boot() then gets the names. The
 * engine's binding (src/cell/engine.c) keeps what this returns and calls it by name:
 *
 *   boot(names, maxOut, maxArgsBytes, maxArgsValues, maxWakes, hasTimers)
 *   settle(id, kind, value)    an answer: true where such a call was out
 *   woken(id, how)             a wake's answer; likewise
 *   rejected(promise, reason, isHandled)
 *   valueText(value)           the returned value as JSON text, or undefined; closes
 *   open()                     what the value's reading queued has run
 *   failure(error, code, why)  tells name, message and stack, one by one
 *   stalled(errors)            tells where a script waits that nothing can wake
 *   notes()                    what else the return should say, as JSON text, or ""
 *   close()                    the script has failed: nothing more goes out
 *   timerDue(), timerFire(now) when the next timer is due, or -1; runs the first one due
 *
 * native.call(id, name, args), native.wake(id, payload), native.output(text), native.catalogue(), native.random(),
 * native.now(): milliseconds since the script's start,
 * native.tell(part, text), native.classNumber(value) are the binding's.
 */
(function prelude(native, makeOwn, makeEncode, makeStack, makeInspect, makeTools, makeEndings,
                  makeTimers, makeWakes, makeLazy) {
  "use strict";

  const own = makeOwn(native.classNumber);
  const { encodeArguments, encodePayload, encodeLenient } = makeEncode(own);
  const stack = makeStack(own, native.openingLength);
  const { stackLines, prettyStack } = stack;
  const { inspect, format } = makeInspect(own, prettyStack);
  const { defineProperty, mapGet, mapSet, mapDelete, mapForEach, quote, hasOwn, isArray } = own;
  const NativePromise = own.Promise;
  const sendCall = native.call;
  const writeOutput = native.output;

  const KIND_ANSWER = 1;

  let maxOut = 16;
  let maxArgsBytes = 4194304;
  let maxArgsValues = 100000;
  let lastId = 0;
  let nOut = 0;
  let isClosed = false;  // the script has failed, or its value is being read
  let isBooted = false;

  const calls = new own.Map();     // id: entry of a call that is out
  const unawaited = new own.Map(); // id: entry of a call whose promise nobody has looked at
  const rejections = new own.Map();
  let queueHead = null; // entries that wait for room, linked by next
  let queueTail = null;

  function define(object, name, value, isEnumerable) {
    defineProperty(object, name, {
      __proto__: null, value, writable: true, configurable: true, enumerable: !!isEnumerable,
    });
  }

  function defineGetter(object, name, get, set) {
    defineProperty(object, name, { __proto__: null, get, set, configurable: true });
  }

  /* Errors that calls reject with. */

  function errorClass(name, parent) {
    const result = ({
      [name]: class extends parent {
        constructor(message, tool, effect) {
          super(message);
          if (tool !== undefined) {
            define(this, "tool", tool, true);
          }
          if (effect !== undefined) {
            define(this, "effect", effect, true);
          }
        }
      },
    })[name];
    define(result.prototype, "name", name);
    define(globalThis, name, result);
    return result.prototype;
  }

  const prototypes = {
    __proto__: null,
    ToolRefused: errorClass("ToolRefused", own.Error),
    ToolFailed: errorClass("ToolFailed", own.Error),
    UnknownTool: errorClass("UnknownTool", own.Error),
    CallTimeout: errorClass("CallTimeout", own.Error),
    ResultTooLarge: errorClass("ResultTooLarge", own.Error),
    CallAborted: errorClass("CallAborted", own.Error),
    WakeRefused: errorClass("WakeRefused", own.Error),
  };

  const { tools, setNames, isTool, toolNamed, unknownMessage } = makeTools(own, call);
  const endings = makeEndings(own, encodeLenient, inspect, stack, native.tell,
                              prototypes.CallAborted, toolNamed);
  const timers = makeTimers(own, native, () => isClosed);
  const wakes = makeWakes(own, encodePayload, native, makeError, () => isClosed || !isBooted);

  /* site is the raw stack of the call. */
  function makeError(kind, message, tool, effect, site) {
    const error = new own.Error(message);
    const lines = stackLines(site);

    own.setPrototypeOf(error, prototypes[kind]);
    define(error, "stack", kind + ": " + message + (lines === "" ? "" : "\n" + lines));
    if (tool !== undefined) {
      define(error, "tool", tool, true);
    }
    define(error, "effect", effect, true);
    return error;
  }

  /* By enum wire_result_kind. */
  const answers = {
    __proto__: null,
    2: ["ToolRefused", "none"],
    3: ["ToolFailed", "possible"],
    4: ["CallTimeout", "possible"],
    5: ["CallTimeout", "none"],
    6: ["ResultTooLarge", "done"],
  };

  /* Results. */

  const resultPrototype = {};

  function textOf(content) {
    let text = "";
    let n = 0;

    for (let i = 0; i < content.length; i++) {
      const block = content[i];
      if (typeof block === "object" && block !== null && hasOwn(block, "type") &&
          block.type === "text" && typeof block.text === "string") {
        text += (n++ > 0 ? "\n" : "") + block.text;
      }
    }
    return text;
  }

  defineGetter(resultPrototype, "text", function () {
    return textOf(this.content);
  });
  defineGetter(resultPrototype, "data", function () {
    if (this.structuredContent !== undefined) {
      return this.structuredContent;
    }
    const text = textOf(this.content);
    try {
      return own.parse(text);
    } catch {
      return text;
    }
  });

  /* A tool's answer: an MCP result, or any other JSON value, which is then its data. */
  function makeResult(value) {
    const isObject = typeof value === "object" && value !== null && !isArray(value);
    const hasContent = isObject && hasOwn(value, "content") && isArray(value.content);
    const hasData = isObject && hasOwn(value, "structuredContent");

    if (!hasContent && !hasData) {
      return {
        __proto__: resultPrototype,
        content: [{ type: "text", text: typeof value === "string" ? value : encodeLenient(value) }],
        structuredContent: value,
        isError: false,
      };
    }
    return {
      __proto__: resultPrototype,
      content: hasContent ? value.content : [],
      structuredContent: hasData ? value.structuredContent : undefined,
      isError: hasOwn(value, "isError") && value.isError === true,
    };
  }

  /* Calls. */

  function send(entry) {
    const text = entry.text;

    nOut++;
    entry.text = "";
    entry.state = "out";
    mapSet(calls, entry.id, entry);
    sendCall(entry.id, entry.tool, text);
  }

  function sendNext() {
    while (queueHead !== null && nOut < maxOut) {
      const entry = queueHead;
      queueHead = entry.next;
      if (queueHead === null) {
        queueTail = null;
      }
      send(entry);
    }
  }

  function enqueue(entry) {
    if (queueTail === null) {
      queueHead = entry;
    } else {
      queueTail.next = entry;
    }
    queueTail = entry;
  }

  function checkArguments(tool, args) {
    const text = encodeArguments(tool, args, maxArgsValues);

    /* A character is at most three bytes; only near the cap is it worth counting. */
    if (text.length * 3 > maxArgsBytes && native.utf8Length(text) > maxArgsBytes) {
      throw own.rangeError("the arguments of " + tool + " are " + native.utf8Length(text) +
                           " bytes of JSON, more than " + maxArgsBytes + " (max_args_bytes)");
    }
    return text;
  }

  function begin(entry, args) {
    if (isClosed || !isBooted) {
      throw makeError("CallAborted", "the call to " + entry.tool + " was not sent: the script " +
                      "had ended", entry.tool, "none", entry.site);
    }
    if (!isTool(entry.tool)) {
      throw makeError("UnknownTool", unknownMessage(entry.tool), entry.tool, "none", entry.site);
    }
    entry.text = checkArguments(entry.tool, args);
    entry.id = ++lastId;
    mapSet(unawaited, entry.id, entry);
    if (nOut < maxOut) {
      send(entry);
    } else {
      enqueue(entry);
    }
  }

  function call(tool, args) {
    const entry = {
      __proto__: null, id: 0, tool, text: "", state: "not sent", next: null, resolve: null,
      reject: null, promise: null, site: own.errorStack(new own.Error("")),
    };

    entry.promise = new NativePromise((resolve, reject) => {
      entry.resolve = resolve;
      entry.reject = reject;
    });
    /* await and then() both look here: so we know that someone waits. */
    defineGetter(entry.promise, "constructor", () => {
      mapDelete(unawaited, entry.id);
      return NativePromise;
    });
    try {
      begin(entry, args);
    } catch (error) {
      entry.reject(error);
    }
    return entry.promise;
  }

  function settle(id, kind, value) {
    const entry = mapGet(calls, id);

    if (entry === undefined) {
      return false;
    }
    mapDelete(calls, id);
    nOut--;
    sendNext();
    if (kind === KIND_ANSWER) {
      const result = makeResult(value);
      entry.state = result.isError ? "failed" : "answered";
      entry.resolve(result);
    } else {
      const name = answers[kind][0];
      entry.state = name;
      entry.reject(makeError(name, value, entry.tool, answers[kind][1], entry.site));
    }
    return true;
  }

  /* Output. */

  function write(text) {
    if (!isClosed) {
      writeOutput(own.toWellFormed(text));
    }
  }

  function textForm(value) {
    if (typeof value === "string") {
      return value;
    }
    if (typeof value === "object" && value !== null && own.classOf(value) !== "Error") {
      try {
        const compact = endings.usefulText(value, undefined);
        if (compact !== undefined) {
          return compact.length <= 80 ? compact : endings.usefulText(value, 2);
        }
      } catch {
        /* a cycle or a BigInt: shown as the console shows it */
      }
    }
    return inspect(value);
  }

  function text(...values) {
    let line = "";
    for (let i = 0; i < values.length; i++) {
      line += (i > 0 ? " " : "") + textForm(values[i]);
    }
    write(line + "\n");
  }

  const console = {};
  const logs = { __proto__: null, indent: "" };

  function writeLine(line) {
    write((logs.indent === "" ? line
      : logs.indent + own.replaceAll(line, "\n", "\n" + logs.indent)) + "\n");
  }

  function log(...values) {
    writeLine(format(values));
  }

  function defineConsole() {
    const names = { __proto__: null, log, info: log, warn: log, error: log, debug: log };
    const rare = "assert clear count countReset dir dirxml group groupCollapsed groupEnd table " +
                 "time timeEnd timeLog trace";

    for (const name in names) {
      define(console, name, name === "log" ? log : { [name](...values) {
        writeLine(format(values));
      } }[name], true);
    }
    for (let from = 0; from < rare.length;) { // each the same of engine/library/console.js
      const space = own.indexOf(rare, " ", from);
      const name = own.slice(rare, from, space < 0 ? rare.length : space);
      define(console, name, { [name](...values) {
        own.apply(need("console")[name], undefined, values);
      } }[name], true);
      from += name.length + 1;
    }
    own.defineProperty(console, own.toStringTag, {
      __proto__: null, value: "console", writable: false, configurable: true, enumerable: false,
    });
  }

  /* The ending: nothing that runs while it is read may go out. */

  function valueText(value) {
    isClosed = true;
    return endings.valueText(value);
  }

  function failure(error, code, why) {
    isClosed = true;
    timers.drop(); // its end says enough
    endings.failure(error, code, why);
  }

  function stalled(errors) {
    isClosed = true;
    endings.stalled(errors);
  }

  function notes() {
    isClosed = true;
    return endings.notes(unawaited, rejections, timers.countLeft());
  }

  function rejected(promise, reason, isHandled) {
    if (isHandled) {
      mapDelete(rejections, promise);
    } else {
      mapSet(rejections, promise, reason);
    }
  }

  function open() {
    isClosed = false;
  }

  function close() {
    isClosed = true;
    queueHead = queueTail = null;
    timers.drop();
  }

  function boot(list, callsOut, argsBytes, argsValues, maxWakes, hasTimers) {
    timers.allow(hasTimers);
    wakes.allow(maxWakes, argsValues);
    setNames(list);
    maxOut = callsOut;
    maxArgsBytes = argsBytes;
    maxArgsValues = argsValues;
    isBooted = true;
  }

  /* The engine makes an InternalError of a script's own making uncatchable: this doesn't. */
  const internalPrototype = InternalError.prototype;
  const InternalErrorAgain = function InternalError(message, options) {
    const error = new own.Error(message, options);
    own.setPrototypeOf(error, new.target ? new.target.prototype : internalPrototype);
    return error;
  };
  InternalErrorAgain.prototype = internalPrototype;
  define(internalPrototype, "constructor", InternalErrorAgain);
  define(globalThis, "InternalError", InternalErrorAgain);

  /* An accessor, so that the binding sees what is awaited; set, it is as a plain one would be. */
  defineGetter(own.prototypes.Promise, "constructor", native.promiseConstructor, function (value) {
    define(this, "constructor", value, this !== own.prototypes.Promise);
  });

  /* Globals. */

  define(globalThis, "tools", tools);
  define(globalThis, "text", text);
  define(globalThis, "wake_agent", wakes.wake_agent);
  const need = makeLazy(own, native);
  own.setTimeout = timers.globals.setTimeout;
  need.console = { __proto__: null, logs, writeLine, format, inspect, stackLines };
  defineConsole();
  define(globalThis, "console", console);
  for (const name in timers.globals) {
    define(globalThis, name, timers.globals[name]);
  }
  define(globalThis, "performance", timers.performance);
  define(Math, "random", { random: () => native.random() }.random);
  defineGetter(globalThis, "ALL_TOOLS", () => {
    const list = native.catalogue();
    define(globalThis, "ALL_TOOLS", list);
    return list;
  }, (value) => define(globalThis, "ALL_TOOLS", value));
  Error.stackTraceLimit = 50;
  defineGetter(own.ErrorPrototype, "stack", function () {
    return own.classOf(this) === "Error" ? prettyStack(this) : undefined;
  }, function (value) {
    define(this, "stack", value); // anything may be put there, as in V8
  });

  return {
    __proto__: null, boot, settle, woken: wakes.woken, rejected, valueText, failure, stalled, notes, open, close,
    timerDue: timers.due, timerFire: timers.fire,
  };
})
