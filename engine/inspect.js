/* SPDX-License-Identifier: MIT
 *
 * Values for a reader, as Node's util.inspect shows them in plain cases.
 *
 * Getters are shown, never run. Depth 2 where none is asked for, 100 items, 80 columns. Lists are
 * objects without a prototype that count in n.
 */
(function makeInspect(own, prettyStack) {
  "use strict";

  const { keys, hasOwn, isArray, slice, quote, classOf, getOwnPropertyDescriptor } = own;
  const { padStart, padEnd, repeat, indexOf } = own;

  const MAX_DEPTH = 2;
  const MAX_ITEMS = 100;
  const MAX_SCAN = 10000; // of an array that may be nothing but holes
  const MAX_TEXT = 10000;
  const COLUMNS = 80;

  const identifier = /^[a-zA-Z_][a-zA-Z_0-9]*$/;


  function push(list, item) {
    list[list.n++] = item;
  }

  function newList() {
    return { __proto__: null, n: 0 };
  }

  function quoteText(text) {
    const json = quote(text);
    const inner = slice(json, 1, json.length - 1);

    if (indexOf(text, "'") < 0) {
      return "'" + own.replaceAll(inner, '\\"', '"') + "'";
    }
    if (indexOf(text, '"') < 0) {
      return json;
    }
    return indexOf(text, "`") < 0 ? "`" + own.replaceAll(inner, '\\"', '"') + "`"
                                  : "'" + own.replaceAll(own.replaceAll(inner, '\\"', '"'), "'", "\\'") + "'";
  }

  function showText(text) {
    if (text.length <= MAX_TEXT) {
      return quoteText(text);
    }
    const more = text.length - MAX_TEXT;
    return quoteText(slice(text, 0, MAX_TEXT)) + "... " + more + " more character" +
           (more > 1 ? "s" : "");
  }

  function showPrimitive(value) {
    switch (typeof value) {
      case "string": return showText(value);
      case "number": return own.is(value, -0) ? "-0" : "" + value;
      case "bigint": return value + "n";
      case "symbol": return own.symbolText(value);
      default: return "" + value;
    }
  }

  /* The name of the constructor an object was made by; null where its prototype is null. */
  function makerOf(value) {
    for (let at = value; at !== null; at = own.getPrototypeOf(at)) {
      const found = getOwnPropertyDescriptor(at, "constructor");
      if (at === own.prototypes.Promise && found !== undefined && found.get !== undefined) {
        return "Promise"; // the prelude's accessor
      }
      if (found !== undefined && typeof found.value === "function") {
        const name = getOwnPropertyDescriptor(found.value, "name");
        if (name !== undefined && typeof name.value === "string" && name.value !== "") {
          return name.value;
        }
      }
    }
    return null;
  }

  /* The Symbol.toStringTag of an object, where it is plain data; else "". */
  function tagOf(value) {
    for (let at = value; at !== null; at = own.getPrototypeOf(at)) {
      const found = getOwnPropertyDescriptor(at, own.toStringTag);
      if (found !== undefined) {
        return typeof found.value === "string" ? found.value : "";
      }
    }
    return "";
  }

  function showFunction(value, maker) {
    const name = getOwnPropertyDescriptor(value, "name");
    const shown = name !== undefined && typeof name.value === "string" ? name.value : "";
    const source = own.functionText(value);

    if (own.startsWith(source, "class") && own.test(/^class[\s{]/, source)) {
      const parent = own.getPrototypeOf(value);
      const up = typeof parent === "function" ? getOwnPropertyDescriptor(parent, "name") : undefined;
      return "[class " + (shown || "(anonymous)") +
             (up !== undefined && up.value ? " extends " + up.value : "") + "]";
    }
    const kind = maker === "AsyncFunction" || maker === "GeneratorFunction" ||
                 maker === "AsyncGeneratorFunction" ? maker : "Function";
    return "[" + kind + (shown === "" ? " (anonymous)" : ": " + shown) + "]";
  }

  function prefixOf(maker, kind, size) {
    const name = maker === null ? "[" + kind + (size === undefined ? "" : "(" + size + ")") +
                                  ": null prototype] "
                                : maker + (size === undefined ? "" : "(" + size + ")") + " ";
    return name;
  }

  function showKey(key) {
    if (typeof key === "symbol") {
      return "[" + own.symbolText(key) + "]";
    }
    return own.test(identifier, key) ? key : quoteText(key);
  }

  function showMember(value, key, state, level, isItem) {
    const found = getOwnPropertyDescriptor(value, key);
    let shown;

    if (found === undefined) {
      shown = "undefined";
    } else if (found.get !== undefined) {
      shown = found.set !== undefined ? "[Getter/Setter]" : "[Getter]";
    } else if (found.set !== undefined) {
      shown = "[Setter]";
    } else {
      state.indent += 2;
      shown = show(found.value, state, level + 1);
      state.indent -= 2;
    }
    return isItem ? shown : showKey(key) + ": " + shown;
  }

  function moreItems(n) {
    return "... " + n + " more item" + (n > 1 ? "s" : "");
  }

  function addItems(list, value, length, state, level) {
    let holes = 0;
    let shown = 0;
    let i = 0;

    const flush = () => {
      if (holes > 0) {
        push(list, "<" + holes + " empty item" + (holes > 1 ? "s" : "") + ">");
        holes = 0;
        shown++;
      }
    };
    for (; i < length && i < MAX_SCAN && shown < MAX_ITEMS; i++) {
      if (!hasOwn(value, i)) {
        holes++;
        if (i === length - 1 || i === MAX_SCAN - 1) {
          flush();
        }
        continue;
      }
      flush();
      if (shown < MAX_ITEMS) {
        push(list, showMember(value, "" + i, state, level, true));
        shown++;
      } else {
        break;
      }
    }
    if (i < length) {
      push(list, moreItems(length - i));
      list.hasMore = true;
    }
  }

  function isIndex(key) {
    return typeof key === "string" && own.test(/^(?:0|[1-9]\d*)$/, key);
  }

  function addMembers(list, value, state, level, isList) {
    const names = keys(value);
    const symbols = own.getOwnPropertySymbols(value);

    for (let i = 0; i < names.length; i++) {
      if (!isList || !isIndex(names[i])) {
        push(list, showMember(value, names[i], state, level, false));
      }
    }
    for (let i = 0; i < symbols.length; i++) {
      const found = getOwnPropertyDescriptor(value, symbols[i]);
      if (found !== undefined && found.enumerable) {
        push(list, showMember(value, symbols[i], state, level, false));
      }
    }
  }

  /* What an error holds beside its message, out of sight: its cause, its errors. */
  function addHidden(list, value, key, state, level) {
    const found = getOwnPropertyDescriptor(value, key);

    if (found !== undefined && !found.enumerable && found.get === undefined) {
      state.indent += 2;
      push(list, "[" + key + "]: " + show(found.value, state, level + 1));
      state.indent -= 2;
    }
  }

  function addMap(list, value, state, level) {
    let n = 0;

    own.mapForEach(value, (item, key) => {
      if (n++ < MAX_ITEMS) {
        state.indent += 2;
        push(list, show(key, state, level + 1) + " => " + show(item, state, level + 1));
        state.indent -= 2;
      }
    });
    if (n > MAX_ITEMS) {
      push(list, moreItems(n - MAX_ITEMS));
    }
  }

  function addSet(list, value, state, level) {
    let n = 0;

    own.setForEach(value, (item) => {
      if (n++ < MAX_ITEMS) {
        state.indent += 2;
        push(list, show(item, state, level + 1));
        state.indent -= 2;
      }
    });
    if (n > MAX_ITEMS) {
      push(list, moreItems(n - MAX_ITEMS));
    }
  }

  /* Many short items of an array stand in columns. */
  function inColumns(list, value, indent) {
    const n = list.hasMore ? list.n - 1 : list.n;
    let total = 0;
    let widest = 0;

    for (let i = 0; i < n; i++) {
      total += list[i].length + 2;
      widest = own.max(widest, list[i].length);
    }
    const width = widest + 2;
    if (width * 3 + indent >= COLUMNS || (total / width <= 5 && widest > 6)) {
      return list;
    }
    const bias = own.max(width - 3 - own.sqrt(width - total / list.n), 1);
    const columns = own.min(own.round(own.sqrt(2.5 * bias * n) / bias),
                            own.floor((COLUMNS - indent) / width), 12, 15);
    if (columns <= 1) {
      return list;
    }
    return layColumns(list, value, n, columns);
  }

  function layColumns(list, value, n, columns) {
    const result = newList();
    const widths = { __proto__: null };
    let pad = padStart;

    for (let i = 0; i < columns; i++) {
      widths[i] = 0;
      for (let j = i; j < n; j += columns) {
        widths[i] = own.max(widths[i], list[j].length);
      }
    }
    if (value !== undefined) {
      for (let i = 0; i < n; i++) {
        if (typeof value[i] !== "number" && typeof value[i] !== "bigint") {
          pad = padEnd;
          break;
        }
      }
    }
    for (let i = 0; i < n; i += columns) {
      const last = own.min(i + columns, n) - 1;
      let row = "";
      for (let j = i; j < last; j++) {
        row += pad(list[j] + ", ", widths[j - i] + 2, " ");
      }
      row += pad === padStart ? padStart(list[last], widths[last - i], " ") : list[last];
      push(result, row);
    }
    if (list.hasMore) {
      push(result, list[n]);
    }
    return result;
  }

  function join(list, between) {
    let text = "";
    for (let i = 0; i < list.n; i++) {
      text += (i > 0 ? between : "") + list[i];
    }
    return text;
  }

  /* One line where it is short enough and holds at most three levels, else a line each. */
  function lay(list, open, close, base, state, level, isList, value) {
    const before = list.n;
    let laid = list;

    if (isList && list.n > 6) {
      laid = inColumns(list, value, state.indent);
    }
    if (state.deepest - level < 3 && before === laid.n) {
      let length = laid.n + laid.n + state.indent + open.length + base.length + 10;
      for (let i = 0; i < laid.n && length <= COLUMNS; i++) {
        length += laid[i].length;
      }
      if (length <= COLUMNS && indexOf(base, "\n") < 0) {
        const line = join(laid, ", ");
        if (indexOf(line, "\n") < 0) {
          return (base === "" ? "" : base + " ") + open + " " + line + " " + close;
        }
      }
    }
    const indent = "\n" + repeat(" ", state.indent);
    return (base === "" ? "" : base + " ") + open + indent + "  " +
           join(laid, "," + indent + "  ") + indent + close;
  }

  function showError(value, state) {
    const stack = getOwnPropertyDescriptor(value, "stack");
    const text = stack !== undefined && typeof stack.value === "string" && stack.value !== "" &&
      !own.isDOMException(value) ? stack.value : prettyStack(value);

    return state.indent === 0 ? text
      : own.replaceAll(text, "\n", "\n" + repeat(" ", state.indent));
  }

  /* Opening text and closing text, base, and whether items come first. */
  function shapeOf(value, kind, maker, state) {
    switch (kind) {
      case "Array":
        return { open: (maker === "Array" ? "" : prefixOf(maker, "Array", value.length)) + "[",
                 close: "]", base: "", isList: true, length: value.length };
      case "TypedArray": {
        const length = own.typedArrayLength(value);
        return { open: prefixOf(maker, own.typedArrayName(value), length) + "[", close: "]",
                 base: "", isList: true, length };
      }
      case "Map":
        return { open: prefixOf(maker, "Map", own.mapSize(value)) + "{", close: "}", base: "" };
      case "Set":
        return { open: prefixOf(maker, "Set", own.setSize(value)) + "{", close: "}", base: "" };
      case "Error":
        return { open: "{", close: "}", base: showError(value, state) };
      case "Date":
        return { open: "{", close: "}",
                 base: own.dateTime(value) === own.dateTime(value) ? own.dateText(value)
                                                                   : "Invalid Date" };
      case "RegExp":
        return { open: "{", close: "}", base: own.regExpText(value) };
      case "Promise":
        return { open: prefixOf(maker, "Promise") + "{", close: "}", base: "" };
      case "Number": case "String": case "Boolean": case "BigInt": case "Symbol":
        return { open: "{", close: "}", base: "[" + kind + ": " + showPrimitive(unbox(kind, value)) + "]" };
      case "WeakMap": case "WeakSet": case "WeakRef":
        return { open: prefixOf(maker, kind) + "{", close: "}", base: "", first: "<items unknown>" };
      case "ArrayBuffer":
        return { open: prefixOf(maker, kind) + "{", close: "}", base: "",
                 first: "byteLength: " + own.bufferLength(value) };
      case "Generator":
        return { open: "Object [Generator] {", close: "}", base: "" };
      case "Arguments":
        return { open: "[Arguments] {", close: "}", base: "" };
      default: {
        const tag = tagOf(value);
        const prefix = maker === "Object" && tag === "" ? "" : prefixOf(maker, "Object");
        return { open: prefix + (tag === "" || tag === maker ? "" : "[" + tag + "] ") + "{",
                 close: "}", base: "" };
      }
    }
  }

  function unbox(kind, value) {
    switch (kind) {
      case "Number": return own.numberValue(value);
      case "String": return own.stringValue(value);
      case "Boolean": return own.booleanValue(value);
      case "BigInt": return own.bigIntValue(value);
      default: return own.symbolValue(value);
    }
  }

  /* How a part of the library wants its own object to be shown; undefined for others. */
  function libraryShape(value) {
    for (let i = 0; i < own.shapes.n; i++) {
      const shape = own.shapes[i](value);
      if (shape !== undefined) {
        return shape;
      }
    }
    return undefined;
  }

  function addPairs(list, pairs) {
    for (let i = 0; i < pairs.n; i++) {
      push(list, quoteText(pairs[i].name) + " => " + quoteText(pairs[i].value));
    }
  }

  function showObject(value, kind, state, level) {
    const maker = makerOf(value);
    const shape = typeof value === "function"
      ? { open: "{", close: "}", base: showFunction(value, maker) }
      : shapeOf(value, kind, maker, state);
    const list = newList();
    const known = kind === "Object" ? libraryShape(value) : undefined;

    state.deepest = level;
    if (known !== undefined && known.pairs !== undefined) {
      addPairs(list, known.pairs);
    } else if (known !== undefined) {
      addMembers(list, known.members, state, level, false);
    }
    if (shape.first !== undefined) {
      push(list, shape.first);
    }
    if (shape.isList) {
      addItems(list, value, shape.length, state, level);
    } else if (kind === "Map") {
      addMap(list, value, state, level);
    } else if (kind === "Set") {
      addSet(list, value, state, level);
    } else if (kind === "Promise") {
      push(list, "<promise>");
    }
    addMembers(list, value, state, level, shape.isList || kind === "String");
    if (kind === "Error") {
      addHidden(list, value, "cause", state, level);
      addHidden(list, value, "errors", state, level);
    }
    if (list.n === 0) {
      return shape.base !== "" ? shape.base : shape.open + shape.close;
    }
    return lay(list, shape.open, shape.close, shape.base, state, level, shape.isList,
               shape.isList ? value : undefined);
  }

  function show(value, state, level) {
    let text;

    if ((typeof value !== "object" && typeof value !== "function") || value === null) {
      return showPrimitive(value);
    }
    const kind = classOf(value);
    if (kind === "Proxy") {
      return "[Proxy]";
    }
    if (own.mapHas(state.above, value)) {
      state.circular = state.circular || new own.Map();
      if (!own.mapHas(state.circular, value)) {
        own.mapSet(state.circular, value, ++state.nCircular);
      }
      return "[Circular *" + own.mapGet(state.circular, value) + "]";
    }
    if (level > state.depth) {
      return shorten(value, kind);
    }
    own.mapSet(state.above, value, true);
    text = showObject(value, kind, state, level);
    own.mapDelete(state.above, value);
    if (state.circular !== undefined && own.mapHas(state.circular, value)) {
      text = "<ref *" + own.mapGet(state.circular, value) + "> " + text;
    }
    return text;
  }

  function shorten(value, kind) {
    const maker = makerOf(value);

    if (typeof value === "function" || kind === "Date" || kind === "RegExp") {
      return showObject(value, kind, newState(MAX_DEPTH), 0);
    }
    if (kind === "Array") {
      return "[" + (maker === null ? "Array" : maker) + "]";
    }
    return "[" + (maker === null ? "Object: null prototype" : maker) + "]";
  }

  function newState(depth) {
    return {
      __proto__: null, above: new own.Map(), circular: undefined, nCircular: 0, indent: 0,
      deepest: 0, depth,
    };
  }

  function inspect(value, depth = MAX_DEPTH) {
    return show(value, newState(depth), 0);
  }

  function showAt(value, how) {
    switch (how) {
      case "s":
        return typeof value === "string" ? value
          : typeof value === "bigint" ? value + "n"
          : typeof value === "object" || typeof value === "function" ? inspect(value)
          : showPrimitive(value);
      case "d":
        return typeof value === "bigint" ? value + "n"
          : typeof value === "symbol" || typeof value === "object" ? "NaN" : "" + own.Number(value);
      case "i":
        return typeof value === "bigint" ? value + "n"
          : typeof value === "symbol" || typeof value === "object" ? "NaN" : "" + own.parseInt(value);
      case "f":
        return typeof value === "symbol" ? "NaN" : "" + own.parseFloat(value);
      case "j":
        try {
          return "" + own.stringify(value);
        } catch {
          return "[Circular]";
        }
      case "c":
        return "";
      default:
        return inspect(value);
    }
  }

  /* console.log's line: the first text's %-places filled, the rest after it. */
  function format(values) {
    let line = "";
    let next = 0;

    if (values.length > 0 && typeof values[0] === "string") {
      const pattern = values[0];
      let from = 0;
      next = 1;
      if (values.length > 1) {
        for (let at = indexOf(pattern, "%"); at >= 0 && at < pattern.length - 1;
             at = indexOf(pattern, "%", at)) {
          const how = pattern[at + 1];
          if (how === "%") {
            line += slice(pattern, from, at + 1);
            from = at + 2;
          } else if (next < values.length && indexOf("sdifjoOc", how) >= 0) {
            line += slice(pattern, from, at) + showAt(values[next++], how);
            from = at + 2;
          }
          at += 2;
        }
      }
      line += slice(pattern, from);
    }
    for (; next < values.length; next++) {
      line += (next > 0 ? " " : "") +
        (typeof values[next] === "string" ? values[next] : inspect(values[next]));
    }
    return line;
  }

  return { __proto__: null, inspect, format };
})
