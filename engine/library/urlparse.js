/* SPDX-License-Identifier: MIT
 *
 * The parser of URLs. Source of truth: the WHATWG URL Standard, "URL parsing", whose states
 * and their order are kept; each is one function here.
 *
 * A parse (p) walks the text in p.at; a state gets the character there, "" at the end, and returns
 * FAIL, DONE, or nothing to go on with the next character. A URL's path is a text where it is
 * opaque, else a list that counts in n.
 */
(function makeParser(own, native, need) {
  "use strict";

  const { slice, test } = own;
  const { parseHost, encode, sets } = need("host");
  const FAIL = 1;
  const DONE = 2;

  const ports = { __proto__: null, ftp: 21, file: -1, http: 80, https: 443, ws: 80, wss: 443 };

  function isSpecial(url) {
    return ports[url.scheme] !== undefined;
  }

  function newList() {
    return { __proto__: null, n: 0 };
  }

  function newURL() {
    return {
      __proto__: null, scheme: "", username: "", password: "", host: null, port: null,
      path: newList(), query: null, fragment: null,
    };
  }

  function copyPath(path) {
    if (typeof path === "string") {
      return path;
    }
    const list = newList();
    for (let i = 0; i < path.n; i++) {
      list[list.n++] = path[i];
    }
    return list;
  }

  function isWindowsDrive(text) {
    return test(/^[a-zA-Z][:|]$/, text);
  }

  function startsWithDrive(text) {
    return test(/^[a-zA-Z][:|](?:$|[/\\?#])/, text);
  }

  function shorten(url) {
    const { path } = url;

    if (url.scheme === "file" && path.n === 1 && test(/^[a-zA-Z]:$/, path[0])) {
      return;
    }
    path.n -= path.n > 0 ? 1 : 0;
  }

  function isSingleDot(text) {
    return test(/^(?:\.|%2e)$/i, text);
  }

  function isDoubleDot(text) {
    return test(/^(?:\.|%2e){2}$/i, text);
  }

  function hasCredentials(url) {
    return url.username !== "" || url.password !== "";
  }

  function rest(p) {
    return slice(p.text, p.at + 1);
  }

  /* What a "?" or a "#" begins; whether c is one of them. */
  function beginRest(p, c) {
    if (c === "?") {
      p.url.query = "";
      p.state = "query";
    } else if (c === "#") {
      p.url.fragment = "";
      p.state = "fragment";
    }
    return c === "?" || c === "#";
  }

  /* Takes the run of plain characters that goes on from here into the buffer: most of an address
   * is such, and no state but the scheme's stops at one. */
  function takeRun(p) {
    const { text, at } = p;
    let to = at + 1;

    for (; to < text.length; to++) {
      const c = text[to];
      if ((c < "a" || c > "z") && (c < "0" || c > "9") && (c < "A" || c > "Z") && c !== ".") {
        break;
      }
    }
    p.buffer += slice(text, at, to);
    p.at = to - 1;
  }

  const states = {
    __proto__: null,

    schemeStart(p, c) {
      if (test(/[a-zA-Z]/, c)) {
        p.buffer += own.toLowerCase(c);
        p.state = "scheme";
      } else if (p.override === "") {
        p.state = "noScheme";
        p.at--;
      } else {
        return FAIL;
      }
    },

    scheme(p, c) {
      const { url } = p;

      if (test(/[a-zA-Z0-9+.-]/, c)) {
        p.buffer += own.toLowerCase(c);
        return;
      }
      if (c !== ":") {
        if (p.override !== "") {
          return FAIL;
        }
        p.buffer = "";
        p.state = "noScheme";
        p.at = -1;
        return;
      }
      if (p.override !== "") {
        return endOfScheme(p, url);
      }
      url.scheme = p.buffer;
      p.buffer = "";
      if (url.scheme === "file") {
        p.state = "file";
      } else if (isSpecial(url)) {
        p.state = p.base !== null && p.base.scheme === url.scheme ? "specialRelativeOrAuthority"
                                                                  : "specialAuthoritySlashes";
      } else if (p.text[p.at + 1] === "/") {
        p.state = "pathOrAuthority";
        p.at++;
      } else {
        url.path = "";
        p.state = "opaquePath";
      }
    },

    noScheme(p, c) {
      const { base, url } = p;
      const isOpaque = base !== null && typeof base.path === "string";

      if (base === null || (isOpaque && c !== "#")) {
        return FAIL;
      }
      if (isOpaque) {
        url.scheme = base.scheme;
        url.path = base.path;
        url.query = base.query;
        url.fragment = "";
        p.state = "fragment";
        return;
      }
      p.state = base.scheme === "file" ? "file" : "relative";
      p.at--;
    },

    specialRelativeOrAuthority(p, c) {
      if (c === "/" && p.text[p.at + 1] === "/") {
        p.state = "specialAuthorityIgnoreSlashes";
        p.at++;
      } else {
        p.state = "relative";
        p.at--;
      }
    },

    pathOrAuthority(p, c) {
      p.state = c === "/" ? "authority" : "path";
      p.at -= c === "/" ? 0 : 1;
    },

    relative(p, c) {
      const { base, url } = p;

      url.scheme = base.scheme;
      if (c === "/" || (c === "\\" && isSpecial(url))) {
        p.state = "relativeSlash";
        return;
      }
      url.username = base.username;
      url.password = base.password;
      url.host = base.host;
      url.port = base.port;
      url.path = copyPath(base.path);
      url.query = base.query;
      afterBase(p, c, url);
    },

    relativeSlash(p, c) {
      const { base, url } = p;

      if (isSpecial(url) && (c === "/" || c === "\\")) {
        p.state = "specialAuthorityIgnoreSlashes";
      } else if (c === "/") {
        p.state = "authority";
      } else {
        url.username = base.username;
        url.password = base.password;
        url.host = base.host;
        url.port = base.port;
        p.state = "path";
        p.at--;
      }
    },

    specialAuthoritySlashes(p, c) {
      p.state = "specialAuthorityIgnoreSlashes";
      if (c === "/" && p.text[p.at + 1] === "/") {
        p.at++;
      } else {
        p.at--;
      }
    },

    specialAuthorityIgnoreSlashes(p, c) {
      if (c !== "/" && c !== "\\") {
        p.state = "authority";
        p.at--;
      }
    },

    authority(p, c) {
      const { url } = p;

      if (c === "@") {
        addCredentials(p, url, p.isAtSeen ? "%40" + p.buffer : p.buffer);
        p.isAtSeen = true;
        p.buffer = "";
      } else if (isEndOfAuthority(c, url)) {
        if (p.isAtSeen && p.buffer === "") {
          return FAIL;
        }
        p.at -= p.buffer.length + 1;
        p.buffer = "";
        p.state = "host";
      } else {
        takeRun(p);
      }
    },

    host(p, c) {
      const { url } = p;

      if (p.override !== "" && url.scheme === "file") {
        p.at--;
        p.state = "fileHost";
        return;
      }
      if (c === ":" && !p.isInBrackets) {
        if (p.buffer === "" || p.override === "hostname") {
          return FAIL;
        }
        if (!takeHost(p, url)) {
          return FAIL;
        }
        p.state = "port";
      } else if (isEndOfAuthority(c, url)) {
        p.at--;
        if (isSpecial(url) && p.buffer === "") {
          return FAIL;
        }
        if (p.override !== "" && p.buffer === "" && (hasCredentials(url) || url.port !== null)) {
          return FAIL;
        }
        if (!takeHost(p, url)) {
          return FAIL;
        }
        p.state = "pathStart";
        return p.override !== "" ? DONE : undefined;
      } else {
        p.isInBrackets = c === "[" || (p.isInBrackets && c !== "]");
        takeRun(p);
      }
    },

    port(p, c) {
      const { url } = p;

      if (test(/\d/, c)) {
        p.buffer += c;
        return;
      }
      if (!isEndOfAuthority(c, url) && p.override === "") {
        return FAIL;
      }
      if (p.buffer !== "") {
        const port = +p.buffer;
        if (port > 65535) {
          return FAIL;
        }
        url.port = port === ports[url.scheme] ? null : port;
        p.buffer = "";
        if (p.override !== "") {
          return DONE;
        }
      }
      if (p.override !== "") {
        return FAIL;
      }
      p.state = "pathStart";
      p.at--;
    },

    file(p, c) {
      const { base, url } = p;

      url.scheme = "file";
      url.host = "";
      if (c === "/" || c === "\\") {
        p.state = "fileSlash";
      } else if (base !== null && base.scheme === "file") {
        url.host = base.host;
        url.path = copyPath(base.path);
        url.query = base.query;
        if (c !== "" && c !== "?" && c !== "#" && startsWithDrive(slice(p.text, p.at))) {
          url.query = null;
          url.path = newList();
          p.state = "path";
          p.at--;
        } else {
          afterBase(p, c, url);
        }
      } else {
        p.state = "path";
        p.at--;
      }
    },

    fileSlash(p, c) {
      const { base, url } = p;

      if (c === "/" || c === "\\") {
        p.state = "fileHost";
        return;
      }
      if (base !== null && base.scheme === "file") {
        url.host = base.host;
        if (!startsWithDrive(slice(p.text, p.at)) && base.path.n > 0 &&
            test(/^[a-zA-Z]:$/, base.path[0])) {
          url.path[url.path.n++] = base.path[0];
        }
      }
      p.state = "path";
      p.at--;
    },

    fileHost(p, c) {
      const { url } = p;

      if (c !== "" && c !== "/" && c !== "\\" && c !== "?" && c !== "#") {
        p.buffer += c;
        return;
      }
      p.at--;
      if (p.override === "" && isWindowsDrive(p.buffer)) {
        p.state = "path"; // the buffer stays
        return;
      }
      if (p.buffer === "") {
        url.host = "";
      } else {
        const host = parseHost(p.buffer, true);
        if (host === null) {
          return FAIL;
        }
        url.host = host === "localhost" ? "" : host;
        p.buffer = "";
      }
      p.state = "pathStart";
      return p.override !== "" ? DONE : undefined;
    },

    pathStart(p, c) {
      const { url } = p;

      if (isSpecial(url)) {
        p.state = "path";
        p.at -= c === "/" || c === "\\" ? 0 : 1;
      } else if (p.override === "" && beginRest(p, c)) {
        return;
      } else if (c !== "") {
        p.state = "path";
        p.at -= c === "/" ? 0 : 1;
      } else if (p.override !== "" && url.host === null) {
        url.path[url.path.n++] = "";
      }
    },

    path(p, c) {
      const { url } = p;
      const isSlash = c === "/" || (c === "\\" && isSpecial(url));

      if (c !== "" && !isSlash && (p.override !== "" || (c !== "?" && c !== "#"))) {
        takeRun(p);
        return;
      }
      addSegment(url, encode(p.buffer, sets.path), isSlash);
      p.buffer = "";
      beginRest(p, c);
    },

    opaquePath(p, c) {
      const { url } = p;

      if (c !== "?" && c !== "#" && c !== "") {
        takeRun(p);
        return;
      }
      url.path = encode(p.buffer, sets.control);
      if (c !== "" && url.path[url.path.length - 1] === " ") {
        url.path = slice(url.path, 0, url.path.length - 1) + "%20";
      }
      p.buffer = "";
      beginRest(p, c);
    },

    query(p, c) {
      const { url } = p;

      if (c !== "" && (c !== "#" || p.override !== "")) {
        takeRun(p);
        return;
      }
      url.query += encode(p.buffer, isSpecial(url) ? sets.specialQuery : sets.query);
      p.buffer = "";
      if (c === "#") {
        url.fragment = "";
        p.state = "fragment";
      }
    },

    fragment(p) {
      p.url.fragment += encode(slice(p.text, p.at), sets.fragment);
      p.at = p.text.length;
    },
  };

  /* The protocol setter's part of the scheme state. */
  function endOfScheme(p, url) {
    const isNowSpecial = ports[p.buffer] !== undefined;

    if (isSpecial(url) !== isNowSpecial ||
        ((hasCredentials(url) || url.port !== null) && p.buffer === "file") ||
        (url.scheme === "file" && url.host === "")) {
      return DONE;
    }
    url.scheme = p.buffer;
    url.port = url.port === ports[url.scheme] ? null : url.port;
    return DONE;
  }

  /* What follows a path that was taken over from the base. */
  function afterBase(p, c, url) {
    if (!beginRest(p, c) && c !== "") {
      url.query = null;
      shorten(url);
      p.state = "path";
      p.at--;
    }
  }

  function isEndOfAuthority(c, url) {
    return c === "" || c === "/" || c === "?" || c === "#" || (c === "\\" && isSpecial(url));
  }

  function addCredentials(p, url, text) {
    const colon = p.isPasswordSeen ? -1 : own.indexOf(text, ":");

    if (p.isPasswordSeen) {
      url.password += encode(text, sets.user);
      return;
    }
    url.username += encode(colon < 0 ? text : slice(text, 0, colon), sets.user);
    if (colon >= 0) {
      p.isPasswordSeen = true;
      url.password += encode(slice(text, colon + 1), sets.user);
    }
  }

  function takeHost(p, url) {
    const host = parseHost(p.buffer, isSpecial(url));

    p.buffer = "";
    if (host !== null) {
      url.host = host;
    }
    return host !== null;
  }

  function addSegment(url, segment, isSlash) {
    const { path } = url;

    if (isDoubleDot(segment)) {
      shorten(url);
      if (!isSlash) {
        path[path.n++] = "";
      }
    } else if (isSingleDot(segment)) {
      if (!isSlash) {
        path[path.n++] = "";
      }
    } else {
      const isDrive = url.scheme === "file" && path.n === 0 && isWindowsDrive(segment);
      path[path.n++] = isDrive ? segment[0] + ":" : segment;
    }
  }

  /* Without control characters and spaces at both ends. */
  function trim(text) {
    let from = 0;
    let to = text.length;

    while (from < to && own.codeAt(text, from) <= 32) {
      from++;
    }
    while (to > from && own.codeAt(text, to - 1) <= 32) {
      to--;
    }
    return slice(text, from, to);
  }

  /* Parses text, against base where there is one. With override, a setter's: changes url from
   * that state on. The URL, or null. */
  function parse(text, base, url, override) {
    const p = {
      __proto__: null, text, base, url: url || newURL(), override: override || "",
      state: override || "schemeStart", at: 0, buffer: "", isAtSeen: false, isInBrackets: false,
      isPasswordSeen: false,
    };

    if (url === undefined) {
      p.text = trim(text);
    }
    if (test(/[\t\n\r]/, text)) {
      p.text = own.replaceAll(own.replaceAll(own.replaceAll(p.text, "\t", ""), "\n", ""), "\r", "");
    }
    if (p.state === "hostname") {
      p.state = "host";
    }
    for (; p.at <= p.text.length; p.at++) {
      const result = states[p.state](p, p.at < p.text.length ? p.text[p.at] : "");
      if (result === FAIL) {
        return null;
      }
      if (result === DONE) {
        break;
      }
    }
    return p.url;
  }

  return { __proto__: null, parse, isSpecial, hasCredentials, newList };
})
