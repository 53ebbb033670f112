/* SPDX-License-Identifier: MIT
 *
 * What the host is told of an ending: the value as JSON, an error by name, message and frames,
 * and notes on calls and rejections that nobody waited for.
 *
 * Reading them runs code of the script's; the prelude sees to it that nothing of it goes out.
 */
(function makeEndings(own, encodeLenient, inspect, stack, tell, abortPrototype, toolNamed) {
  "use strict";

  const { stackJSON, prettyStack: stackText, firstFrame, rawFrame, frameJSON } = stack;
  const { defineProperty, hasOwn, quote, mapForEach, mapDelete } = own;
  const MAX_NOTES = 10;
  const MAX_TEXT = 65536;
  const MAX_REASONS = 3; // causes of causes, and errors of an AggregateError
  const MAX_WAITS = 4; // places that a stalled script's message names

  function put(object, key, value) {
    defineProperty(object, key, {
      __proto__: null, value, writable: true, configurable: true, enumerable: true,
    });
  }

  function sentence(what, form) {
    const cut = form.length > 1000 ? own.slice(form, 0, 1000) + "..." : form;
    return quote("The script returned " + what + ", which JSON can't hold: " + cut);
  }

  /* What an object that JSON would make {} of is good for. */
  function usefulForm(value) {
    switch (own.classOf(value)) {
      case "Map": {
        let isPlain = true;
        const object = {};
        const pairs = [];
        mapForEach(value, (item, key) => {
          isPlain = isPlain && typeof key === "string";
          put(pairs, pairs.length, [key, item]);
          if (isPlain) {
            put(object, key, item);
          }
        });
        return isPlain ? object : pairs;
      }
      case "Set": {
        const items = [];
        own.setForEach(value, (item) => put(items, items.length, item));
        return items;
      }
      case "TypedArray": {
        const items = [];
        const length = own.typedArrayLength(value);
        for (let i = 0; i < length; i++) {
          put(items, i, value[i]);
        }
        return items;
      }
      case "Error": {
        const object = { name: value.name, message: value.message };
        const members = own.keys(value);
        for (let i = 0; i < members.length; i++) {
          put(object, members[i], value[members[i]]);
        }
        return object;
      }
      case "Promise":
        return "[a Promise that was not awaited]";
      default:
        return inspect(value);
    }
  }

  own.usefulForm = usefulForm; // arguments.js wants it too

  /* JSON.stringify() looks for toJSON, natively: lent to the odd classes while it runs, so
   * that plain values go at its speed. */
  let forms = null; // of what has been met: the same one each time, so that a cycle is seen

  function usefulJSON() {
    const known = own.mapGet(forms, this);
    if (known !== undefined) {
      return known;
    }
    const form = usefulForm(this);
    own.mapSet(forms, this, form);
    return form;
  }

  function bigIntJSON() {
    return "" + this;
  }

  const lent = ["Map", "Set", "Error", "RegExp", "Promise", "TypedArray", "ArrayBuffer",
                "Function", "BigInt"];

  function lend(mark) {
    for (let i = 0; i < lent.length; i++) {
      const prototype = own.prototypes[lent[i]];
      mark[i] = !hasOwn(prototype, "toJSON");
      if (mark[i]) {
        defineProperty(prototype, "toJSON", {
          __proto__: null, value: lent[i] === "BigInt" ? bigIntJSON : usefulJSON,
          writable: true, configurable: true, enumerable: false,
        });
      }
    }
  }

  function takeBack(mark) {
    for (let i = 0; i < lent.length; i++) {
      if (mark[i]) {
        delete own.prototypes[lent[i]].toJSON;
      }
    }
  }

  function usefulText(value, indent) {
    const mark = { __proto__: null };
    const formsBefore = forms; // a toJSON of the script's may have something written meanwhile

    try {
      forms = new own.Map();
      lend(mark);
      return own.stringify(value, undefined, indent);
    } finally {
      takeBack(mark);
      forms = formsBefore;
    }
  }

  function describeThrown(error) {
    try {
      return typeof error === "object" && error !== null && typeof error.message === "string"
        ? error.message : inspect(error);
    } catch {
      return "an error that can't be shown";
    }
  }

  function valueText(value) {
    switch (typeof value) {
      case "undefined": return undefined;
      case "function": return sentence("a function", own.functionText(value));
      case "symbol": return sentence("a symbol", own.symbolText(value));
      case "bigint": return sentence("a BigInt", "" + value);
      default:
    }
    try {
      return usefulText(value, undefined);
    } catch (error) {
      return oddValueText(value, error);
    }
  }

  function oddValueText(value, error) {
    try {
      return encodeLenient(value);
    } catch {
      return quote("The script returned a value that can't be made JSON (" +
                   describeThrown(error) + "): " + safeInspect(value));
    }
  }

  function safeInspect(value) {
    try {
      return own.slice(inspect(value), 0, 1000);
    } catch {
      return own.objectText(value);
    }
  }

  /* A name or a message goes out cut in any case: what is past that is not worth the memory. */
  function asText(value) {
    const text = typeof value === "string" ? value : "" + value;
    return own.toWellFormed(text.length > MAX_TEXT ? own.slice(text, 0, MAX_TEXT) : text);
  }

  /* What is there instead of what a script reached for. */
  const instead = "a script reaches its tools (tools, ALL_TOOLS) and nothing else";
  const python = "this is JavaScript, not Python: ";
  const absent = {
    __proto__: null,
    fetch: instead, require: instead, process: instead, fs: instead, XMLHttpRequest: instead,
    WebSocket: instead, Deno: instead, Bun: instead, Buffer: instead, module: instead,
    exports: instead, window: instead, document: instead, localStorage: instead,
    Worker: instead, WebAssembly: instead, child_process: instead, path: instead, os: instead,
    setImmediate: "use setTimeout(f, 0); " + instead,
    Intl: "the engine has no Intl; " + instead,
    importScripts: instead,
    print: python + "text() or console.log() writes", True: python + "it is true",
    False: python + "it is false", None: python + "it is null or undefined",
    len: python + "it is .length", range: python + "write a for loop",
  };

  function withHint(name, message) {
    const missing = own.exec(/^'?([\w$]+)'? is not defined$/, message);

    if (missing !== null && absent[missing[1]] !== undefined) {
      return message + ": " + absent[missing[1]];
    }
    const tool = missing === null ? "" : toolNamed(missing[1]);
    if (tool !== "") {
      return message + ": did you mean " + tool + "?";
    }
    if (own.test(/^could not load module|^import is only|^dynamic import|modules? /i, message)) {
      return message + ": modules are not loaded; " + instead;
    }
    return message;
  }

  function nameOf(error) {
    const isObject = (typeof error === "object" && error !== null) || typeof error === "function";
    let name;

    if (!isObject) {
      return "";
    }
    try {
      name = error.name;
      return name === undefined || name === null ? "" : asText(name);
    } catch {
      return "";
    }
  }

  function messageOf(error) {
    const isError = typeof error === "object" && error !== null && own.classOf(error) === "Error";
    let message;

    if (typeof error === "string") {
      return error === "" ? '""' : asText(error);
    }
    try {
      message = typeof error === "object" && error !== null ? error.message : undefined;
      if (message !== undefined && message !== null && "" + message !== "") {
        return asText(message);
      }
      if (isError) {
        const form = encodeLenient(usefulForm(error));
        return form === undefined || hasOnlyNames(error) ? "" : form;
      }
      return asText(typeof error === "object" && error !== null ? objectForm(error)
                                                                : inspect(error));
    } catch {
      return "an error that can't be shown";
    }
  }

  /* An error in one line. */
  function brief(value, depth) {
    if (typeof value !== "object" || value === null || own.classOf(value) !== "Error") {
      return own.slice(inspect(value), 0, 300);
    }
    const name = own.slice(nameOf(value), 0, 100);
    const message = own.slice(messageOf(value), 0, 300);
    return withReasons(value, message === "" ? name : name + ": " + message, depth + 1);
  }

  /* What an error says that it comes of: its cause, and the errors that an AggregateError holds. */
  function withReasons(error, text, depth) {
    let reasons = "";

    if (depth >= MAX_REASONS || typeof error !== "object" || error === null ||
        own.classOf(error) !== "Error") {
      return text;
    }
    try {
      if (hasOwn(error, "cause") && error.cause !== undefined) {
        reasons = "cause: " + brief(error.cause, depth);
      }
      const errors = hasOwn(error, "errors") ? error.errors : undefined;
      for (let i = 0; own.isArray(errors) && i < errors.length && i < MAX_REASONS; i++) {
        reasons += (reasons === "" ? "" : "; ") + brief(errors[i], depth);
      }
      if (own.isArray(errors) && errors.length > MAX_REASONS) {
        reasons += "; and " + (errors.length - MAX_REASONS) + " more";
      }
    } catch {
      return text; // a getter that throws, or no memory
    }
    return reasons === "" ? text : (text === "" ? "" : text + " ") + "(" + reasons + ")";
  }

  function hasOnlyNames(error) {
    return own.keys(error).length === 0;
  }

  function objectForm(error) {
    let text;
    try {
      text = own.stringify(error);
    } catch {
      /* a cycle, or a BigInt: as the console shows it */
    }
    return text === undefined || text === "{}" ? inspect(error) : text;
  }

  /* A line of the script's and a mark under the column, for a syntax error. */
  function sourceAt(code, frame) {
    let from = 0;

    for (let line = 1; line < frame.line; line++) {
      from = own.indexOf(code, "\n", from) + 1;
      if (from === 0) {
        return "";
      }
    }
    const end = own.indexOf(code, "\n", from);
    const line = own.slice(code, from, end < 0 ? code.length : end);
    const at = own.min(frame.column - 1, line.length);
    const start = own.max(0, at - 60);
    return "\n" + own.slice(line, start, start + 120) + "\n" + own.repeat(" ", at - start) + "^";
  }

  /* Whether a place lies behind the script: what is around it was reached. */
  function isPastEnd(code, frame) {
    let line = 1;

    for (let at = own.indexOf(code, "\n"); at >= 0 && at < code.length - 1; line++) {
      at = own.indexOf(code, "\n", at + 1);
    }
    return frame !== null && frame.line > line;
  }

  /* For a script that does not compile: where, and the line. */
  function syntaxMessage(message, error, code, mayHint) {
    const frame = firstFrame(error.stack);

    if (frame === null) {
      return message;
    }
    if (mayHint && isPastEnd(code, frame)) {
      return "unexpected end of the script: something that it opened is not closed";
    }
    const source = sourceAt(code, frame);
    if (mayHint && own.test(/^\s*(?:import|export)\b/, source)) {
      message += ": modules are not loaded; " + instead;
    }
    return message + " (line " + frame.line + ", column " + frame.column + ")" + source;
  }

  /* Tells name, message and frames one by one: a stop may come between them. */
  function failure(error, code, why) {
    const name = nameOf(error);
    tell(0, name);
    const text = why || withReasons(error, messageOf(error), 0);
    tell(1, code === undefined ? withHint(name, text)
                               : syntaxMessage(text, error, code, why === undefined));
    if (code === undefined || !isPastEnd(code, firstFrame(error.stack))) {
      tell(2, framesOf(error));
    }
  }

  /* Frames of the script's own as JSON, each run of repeated ones once, with a count. */
  function framesOf(error) {
    const isObject = typeof error === "object" && error !== null;
    let stack;

    try {
      stack = !isObject ? undefined
        : own.isDOMException(error) ? stackText(error) : error.stack;
    } catch {
      return "";
    }
    return typeof stack === "string" ? stackJSON(stack) : "";
  }

  /* Nothing can go on: where the functions wait that do, each by an error thrown there. */
  function stalled(errors) {
    let text = "the script waits for a promise that nothing can settle: no call is out, no timer " +
               "runs and nothing is queued";
    const seen = { __proto__: null };
    let frames = "";
    let n = 0;

    for (let i = 0; i < errors.length; i++) {
      const frame = errors[i] === undefined ? null : rawFrame(own.errorStack(errors[i]));
      const shown = frame === null || frame.file !== "<script>" ? "" : frameJSON(frame);
      if (shown === "" || seen[shown] !== undefined) {
        continue;
      }
      seen[shown] = 1;
      frames += (n > 0 ? "," : "") + shown;
      if (n < MAX_WAITS) {
        text += (n === 0 ? "; it waits at line " : ", and at line ") + frame.line + ", column " +
                frame.column + (frame.name === "" ? "" : " (" + frame.name + ")");
      }
      n++;
    }
    tell(1, n > MAX_WAITS ? text + ", and at " + (n - MAX_WAITS) + " more places" : text);
    tell(2, "[" + frames + "]");
  }

  function noteOf(kind, fields) {
    let text = '{"note":' + quote(kind);
    for (const name in fields) {
      text += "," + quote(name) + ":" +
        (typeof fields[name] === "number" ? fields[name] : quote(fields[name]));
    }
    return text + "}";
  }

  function isOwnAbort(reason) {
    return typeof reason === "object" && reason !== null && own.classOf(reason) === "Error" &&
      own.getPrototypeOf(reason) === abortPrototype;
  }

  /* Calls that nobody awaited, by tool and state: the first one's id, and how many. */
  function grouped(unawaited) {
    const groups = new own.Map();

    mapForEach(unawaited, (entry) => {
      const key = entry.state + " " + entry.tool;
      const group = own.mapGet(groups, key);
      if (group === undefined) {
        own.mapSet(groups, key, {
          __proto__: null, tool: entry.tool, call: entry.id, state: entry.state,
        });
      } else {
        group.count = (group.count ?? 1) + 1;
      }
    });
    return groups;
  }

  function notes(unawaited, rejections, timersLeft) {
    let list = "";
    let n = 0;
    let more = 0;
    const add = (note) => {
      if (n < MAX_NOTES) {
        list += (n > 0 ? "," : "") + note;
        n++;
      } else {
        more++;
      }
    };

    mapForEach(unawaited, (entry) => {
      mapDelete(rejections, entry.promise);
    });
    mapForEach(grouped(unawaited), (fields) => add(noteOf("not_awaited", fields)));
    mapForEach(rejections, (reason) => {
      if (isOwnAbort(reason)) {
        return; // the script's ending already says why
      }
      const fields = {
        __proto__: null, name: own.slice(nameOf(reason), 0, 200),
        message: own.slice(withReasons(reason, messageOf(reason), 0), 0, 2000),
      };
      const frame = own.classOf(reason) === "Error" ? rawFrame(own.errorStack(reason)) : null;
      if (frame !== null && frame.file === "<script>") {
        fields.line = frame.line;
        fields.column = frame.column;
      }
      add(noteOf("unhandled_rejection", fields));
    });
    if (timersLeft > 0) {
      list += (n++ > 0 ? "," : "") + noteOf("timers_dropped", {
        __proto__: null, count: timersLeft,
      });
    }
    if (more > 0) {
      list += "," + noteOf("more", { __proto__: null, count: more });
    }
    return n > 0 ? "[" + list + "]" : "";
  }

  return { __proto__: null, valueText, failure, stalled, notes, usefulText };
})
