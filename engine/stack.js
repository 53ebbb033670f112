/* SPDX-License-Identifier: MIT
 *
 * Stacks with the script's own frames only, repeated ones folded: as lines for a reader, and as
 * the JSON that an ending holds.
 *
 * A raw stack is QuickJS's own, where columns of the first line still count what the binding
 * put before it. A pretty one is what a script sees in error.stack: name, message, lines.
 */
(function makeStack(own, openingLength) {
  "use strict";

  const { slice, indexOf, quote } = own;
  const MAX_FRAMES = 10; // from each end of a stack
  const frameLine =
    /^ +at (?:(.*) \()?(?:<script>|<input>|<eval>):(\d+)(?::(\d+))?\)?(?: \((\d+) times\))?$/;

  function push(list, item) {
    list[list.n++] = item;
  }

  function newList() {
    return { __proto__: null, n: 0 };
  }

  /* The script's frames in a stack; isRaw where it is as QuickJS wrote it, and the first line's
   * columns still count what the binding put before it. */
  function parseFrames(stack, isRaw) {
    const list = newList();

    for (let from = 0; from < stack.length;) {
      const found = indexOf(stack, "\n", from);
      const end = found < 0 ? stack.length : found;
      if (end - from < 600) {
        addFrame(list, slice(stack, from, end), isRaw);
      }
      from = end + 1;
    }
    return list;
  }

  function addFrame(list, line, isRaw) {
    const found = own.exec(frameLine, line);

    if (found === null) {
      return;
    }
    const frame = {
      __proto__: null,
      name: found[1] === undefined || found[1] === "<anonymous>" ? "" : found[1],
      file: indexOf(line, "<script>:") >= 0 ? "<script>" : "<eval>",
      line: +found[2], column: found[3] === undefined ? 1 : +found[3],
      times: found[4] === undefined ? 1 : +found[4],
    };
    if (isRaw && frame.file === "<script>" && frame.line === 1) {
      frame.column = own.max(1, frame.column - openingLength);
    }
    const last = list.n > 0 ? list[list.n - 1] : null;
    if (last !== null && last.name === frame.name && last.file === frame.file &&
        last.line === frame.line && last.column === frame.column) {
      last.times += frame.times;
    } else {
      push(list, frame);
    }
  }

  function frameText(frame) {
    const place = frame.file + ":" + frame.line + ":" + frame.column;
    return "    at " + (frame.name === "" ? place : frame.name + " (" + place + ")") +
           (frame.times > 1 ? " (" + frame.times + " times)" : "");
  }

  function frameJSON(frame) {
    return '{"function":' + quote(frame.name) + ',"line":' + frame.line + ',"column":' +
           frame.column + (frame.times > 1 ? ',"times":' + frame.times : "") + "}";
  }

  function joinFrames(frames, show, between) {
    let text = "";
    let n = 0;

    for (let i = 0; i < frames.n; i++) {
      if (i === MAX_FRAMES && frames.n > 2 * MAX_FRAMES) {
        i = frames.n - MAX_FRAMES;
      }
      const shown = show(frames[i]);
      if (shown !== "") {
        text += (n++ > 0 ? between : "") + shown;
      }
    }
    return text;
  }

  /* A raw stack as lines for a reader. */
  function stackLines(raw) {
    return joinFrames(parseFrames(raw, true), frameText, "\n");
  }

  /* A pretty stack as the JSON that an ending holds. Frames of code compiled at run time are
   * left out: their lines are not the script's. */
  function stackJSON(pretty) {
    return "[" + joinFrames(parseFrames(pretty, false),
                            (frame) => frame.file === "<script>" ? frameJSON(frame) : "", ",") + "]";
  }

  function headOf(error) {
    const name = error.name;
    const message = error.message;
    const head = typeof name === "string" ? name : "Error";

    return typeof message === "string" && message !== "" ? head + ": " + message : head;
  }

  /* What V8 and its readers have in stack: name and message, then the frames. */
  function prettyStack(error) {
    const raw = own.isDOMException(error) // whose stack is a plain property
      ? own.getOwnPropertyDescriptor(error, "stack")?.value : own.errorStack(error);
    const lines = typeof raw === "string" ? stackLines(raw) : "";

    return headOf(error) + (lines === "" ? "" : "\n" + lines);
  }

  function firstFrame(pretty) {
    const frames = typeof pretty === "string" ? parseFrames(pretty, false) : newList();
    return frames.n > 0 ? frames[0] : null;
  }

  /* The innermost frame of a raw stack, null where there is none of the script's. */
  function rawFrame(raw) {
    const frames = typeof raw === "string" ? parseFrames(raw, true) : newList();
    return frames.n > 0 ? frames[0] : null;
  }

  return { __proto__: null, rawFrame, frameJSON, stackLines, stackJSON, prettyStack, firstFrame };
})
