/* SPDX-License-Identifier: MIT
 *
 * TypeScript's types taken off a script, its lines kept: Sucrase, bundled by esbuild at build
 * time. Loaded into a cell whose script does not parse as JavaScript, before it runs.
 *
 * Types are not checked: what Sucrase reads as types goes, enums and parameter properties become
 * JavaScript. Imports stay, and are refused as in JavaScript; `import type` goes. Sucrase
 * takes f(a: 1) for f(a); that is refused here, since it would run with another meaning.
 */
import { transform } from "sucrase";
import { parse } from "sucrase/dist/esm/parser/index.js";
import { TokenType as tt } from "sucrase/dist/esm/parser/tokenizer/types.js";

/* A SyntaxError that points into the script, as the engine's own do. */
function syntaxError(message, line, column) {
  const error = new SyntaxError(message);

  Object.defineProperty(error, "stack", {
    value: "SyntaxError: " + message + "\n    at <script>:" + line + ":" + column,
  });
  return error;
}

function errorAt(message, code, position) {
  const before = code.slice(0, position);

  return syntaxError(message, before.split("\n").length, position - before.lastIndexOf("\n"));
}

function opens(type) {
  return type === tt.parenL || type === tt.braceL || type === tt.bracketL ||
    type === tt.dollarBraceL;
}

function closes(type) {
  return type === tt.parenR || type === tt.braceR || type === tt.bracketR;
}

/* Refuses a type in parentheses that are no function's parameters. */
function checkParentheses(code) {
  const { tokens } = parse(code, false, true, false);
  const open = [];

  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i];
    const top = open[open.length - 1];

    if (token.isType) {
      if ((token.type === tt.colon || token.type === tt.question) && i > 0 &&
          !tokens[i - 1].isType && top !== undefined && top.isParenthesis) {
        top.typeAt = token.start;
      }
    } else if (opens(token.type)) {
      const before = i > 0 ? tokens[i - 1].type : tt.eof;
      open.push({
        isParenthesis: token.type === tt.parenL && before !== tt._for && before !== tt._await,
        typeAt: -1,
      });
    } else if (closes(token.type)) {
      open.pop();
      if (top !== undefined && top.typeAt >= 0) {
        let next = i + 1;
        while (next < tokens.length && tokens[next].isType) {
          next++;
        }
        if (tokens[next].type !== tt.arrow && tokens[next].type !== tt.braceL) {
          throw errorAt("Unexpected token", code, top.typeAt);
        }
      }
    }
  }
}

export function removeTypes(code) {
  try {
    checkParentheses(code);
    return transform(code, {
      transforms: ["typescript"],
      disableESTransforms: true,
      keepUnusedImports: true,
    }).code;
  } catch (error) {
    if (error.loc === undefined) {
      throw error;
    }
    throw syntaxError(error.message.replace(/ \(\d+:\d+\)$/, ""), error.loc.line,
                      error.loc.column);
  }
}
