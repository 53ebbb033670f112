/* SPDX-License-Identifier: MIT
 *
 * What console has beside log. Source of truth: the WHATWG Console Standard; the form of each line
 * is Node's. Known limits: nothing is coloured, clear() does nothing, a cell of a table
 * is shown in one line.
 */
(function makeConsole(own, native, need) {
  "use strict";

  const { logs, writeLine, format, inspect, stackLines } = need.console;
  const { keys, hasOwn, mapGet, mapSet, mapHas, mapDelete, repeat } = own;
  const counts = new own.Map();
  const starts = new own.Map();

  function newList() {
    return { __proto__: null, n: 0 };
  }

  function push(list, item) {
    list[list.n++] = item;
  }

  function labelOf(label) {
    return label === undefined ? "default" : `${label}`;
  }

  function timeText(ms) {
    const fixed = (value) => "" + own.Number(own.toFixed(value, 3));
    const two = (value) => own.padStart("" + value, 2, "0");

    if (ms < 1000) {
      return fixed(ms) + "ms";
    }
    if (ms < 60000) {
      return own.toFixed(ms / 1000, 3) + "s";
    }
    const seconds = own.floor(ms / 1000);
    const minutes = own.floor(seconds / 60);
    return minutes < 60
      ? minutes + ":" + two(seconds % 60) + "." + own.padStart("" + own.floor(ms % 1000), 3, "0") +
        " (m:ss.mmm)"
      : own.floor(minutes / 60) + ":" + two(minutes % 60) + ":" + two(seconds % 60) + " (h:mm:ss)";
  }

  function tellTime(label, method, values) {
    const name = labelOf(label);

    if (!mapHas(starts, name)) {
      writeLine("Warning: No such label '" + name + "' for console." + method + "()");
      return;
    }
    const text = name + ": " + timeText(native.now() - mapGet(starts, name));
    writeLine(values.length > 0 ? text + " " + format(values) : text);
  }

  /* Tables */

  /* A value in one line. */
  function cellText(value) {
    const text = inspect(value);
    let result = "";

    for (let i = 0; i < text.length; i++) {
      if (text[i] !== "\n") {
        result += text[i];
        continue;
      }
      while (text[i + 1] === " ") {
        i++;
      }
      result += " ";
    }
    return result;
  }

  function isObject(value) {
    return (typeof value === "object" && value !== null) || typeof value === "function";
  }

  function drawTable(columns, nRows) {
    const rule = (left, middle, right) => {
      let line = left;
      for (let i = 0; i < columns.n; i++) {
        line += repeat("\u2500", columns[i].width) + (i < columns.n - 1 ? middle : right);
      }
      return line;
    };
    const row = (cellOf) => {
      let line = "\u2502";
      for (let i = 0; i < columns.n; i++) {
        const cell = cellOf(columns[i]);
        line += " " + cell + repeat(" ", columns[i].width - cell.length - 1) + "\u2502";
      }
      return line;
    };
    let text = rule("\u250c", "\u252c", "\u2510") + "\n" + row((column) => column.title) + "\n" +
      rule("\u251c", "\u253c", "\u2524") + "\n";

    for (let i = 0; i < nRows; i++) {
      text += row((column) => column[i] === undefined ? "" : column[i]) + "\n";
    }
    return text + rule("\u2514", "\u2534", "\u2518");
  }

  function newColumn(columns, title) {
    const column = { __proto__: null, title, width: title.length + 2 };

    push(columns, column);
    return column;
  }

  function setCell(column, row, text) {
    column[row] = text;
    column.width = own.max(column.width, text.length + 2);
  }

  /* What a row is told by: its index, and its value. */
  function rowsOf(data) {
    const rows = newList();
    const kind = own.classOf(data);

    if (kind === "Map") {
      own.mapForEach(data, (value, key) => push(rows, { __proto__: null, key, value }));
    } else if (kind === "Set") {
      own.setForEach(data, (value) => push(rows, { __proto__: null, value }));
    } else {
      const names = keys(data);
      for (let i = 0; i < names.length; i++) {
        push(rows, { __proto__: null, index: names[i], value: data[names[i]] });
      }
    }
    for (let i = 0; i < rows.n; i++) {
      rows[i].index = rows[i].index === undefined ? "" + i : rows[i].index;
    }
    rows.title = kind === "Map" || kind === "Set" ? "(iteration index)" : "(index)";
    rows.isMap = kind === "Map";
    return rows;
  }

  function columnNamed(columns, byName, name) {
    if (!mapHas(byName, name)) {
      mapSet(byName, name, newColumn(columns, name));
    }
    return mapGet(byName, name);
  }

  function table(data, only) {
    if (!isObject(data)) {
      writeLine(format([data]));
      return;
    }
    const rows = rowsOf(data);
    const columns = newList();
    const byName = new own.Map();
    const index = newColumn(columns, rows.title);
    const key = rows.isMap ? newColumn(columns, "Key") : undefined;
    const values = { __proto__: null, title: "Values", width: 8 };
    let hasValues = rows.isMap;

    for (let i = 0; only !== undefined && i < only.length; i++) {
      columnNamed(columns, byName, `${only[i]}`);
    }
    for (let i = 0; i < rows.n; i++) {
      const { value } = rows[i];
      setCell(index, i, rows[i].index);
      if (rows.isMap) {
        setCell(key, i, cellText(rows[i].key));
      }
      if (rows.isMap || !isObject(value)) {
        hasValues = true;
        setCell(values, i, cellText(value));
        continue;
      }
      const names = only === undefined ? keys(value) : only;
      for (let j = 0; j < names.length; j++) {
        if (hasOwn(value, names[j])) {
          setCell(columnNamed(columns, byName, `${names[j]}`), i, cellText(value[names[j]]));
        }
      }
    }
    if (hasValues) {
      push(columns, values);
    }
    writeLine(drawTable(columns, rows.n));
  }

  return {
    __proto__: null,
    table,
    assert(condition, ...values) {
      if (!condition) {
        writeLine(values.length === 0 ? "Assertion failed"
          : typeof values[0] === "string" ? "Assertion failed: " + format(values)
          : "Assertion failed " + format(values));
      }
    },
    clear() {},
    count(label) {
      const name = labelOf(label);
      const n = (mapGet(counts, name) || 0) + 1;
      mapSet(counts, name, n);
      writeLine(name + ": " + n);
    },
    countReset(label) {
      mapDelete(counts, labelOf(label));
    },
    dir(value, options) {
      const depth = isObject(options) ? options.depth : undefined;
      writeLine(inspect(value, depth === null ? Infinity : depth));
    },
    dirxml(...values) {
      writeLine(format(values));
    },
    group(...values) {
      if (values.length > 0) {
        writeLine(format(values));
      }
      logs.indent += "  ";
    },
    groupCollapsed(...values) {
      if (values.length > 0) {
        writeLine(format(values));
      }
      logs.indent += "  ";
    },
    groupEnd() {
      logs.indent = own.slice(logs.indent, 2);
    },
    time(label) {
      mapSet(starts, labelOf(label), native.now());
    },
    timeLog(label, ...values) {
      tellTime(label, "timeLog", values);
    },
    timeEnd(label) {
      tellTime(label, "timeEnd", []);
      mapDelete(starts, labelOf(label));
    },
    trace(...values) {
      const lines = stackLines(own.errorStack(new own.Error("")));
      const line = values.length > 0 ? "Trace: " + format(values) : "Trace";
      writeLine(lines === "" ? line : line + "\n" + lines);
    },
  };
})
