/* SPDX-License-Identifier: MIT
 *
 * URL. Source of truth: the WHATWG URL Standard, "URL class". Known limits: no blob URLs (there
 * are no blobs), so createObjectURL is absent; hosts as engine/library/host.js says.
 */
(function makeURL(own, native, need) {
  "use strict";

  const { slice } = own;
  const { parse, isSpecial, hasCredentials, newList } = need("urlparse");
  const { encode, sets } = need("host");
  const { URLSearchParams, ofURL, setQuery } = need("searchparams");

  function textOf(value) {
    return own.toWellFormed(`${value}`);
  }

  function pathText(url) {
    const { path } = url;
    let text = "";

    if (typeof path === "string") {
      return path;
    }
    for (let i = 0; i < path.n; i++) {
      text += "/" + path[i];
    }
    return text;
  }

  function hostText(url) {
    return url.host === null ? "" : url.host + (url.port === null ? "" : ":" + url.port);
  }

  function href(url) {
    let text = url.scheme + ":";

    if (url.host !== null) {
      text += "//";
      if (hasCredentials(url)) {
        text += url.username + (url.password === "" ? "" : ":" + url.password) + "@";
      }
      text += hostText(url);
    } else if (typeof url.path !== "string" && url.path.n > 1 && url.path[0] === "") {
      text += "/.";
    }
    return text + pathText(url) + (url.query === null ? "" : "?" + url.query) +
      (url.fragment === null ? "" : "#" + url.fragment);
  }

  function origin(url) {
    if (url.scheme === "blob" && typeof url.path === "string") {
      const inner = parse(url.path, null);
      return inner !== null && own.test(/^https?$/, inner.scheme) ? origin(inner) : "null";
    }
    return isSpecial(url) && url.scheme !== "file" ? url.scheme + "://" + hostText(url) : "null";
  }

  /* The record of text and base; null where either is none. */
  function parseWithBase(text, base) {
    const parsedBase = base === undefined ? null : parse(textOf(base), null);

    return base !== undefined && parsedBase === null ? null : parse(text, parsedBase);
  }

  function invalid(text, base) {
    const error = own.typeError("Invalid URL");

    need.define(error, "code", "ERR_INVALID_URL", true);
    need.define(error, "input", text, true);
    if (base !== undefined) {
      need.define(error, "base", `${base}`, true);
    }
    return error;
  }

  function mayHaveCredentials(url) {
    return url.host !== null && url.host !== "" && url.scheme !== "file";
  }

  class URL {
    #url;
    #params = null;

    constructor(url, base = undefined) {
      if (arguments.length === 0) {
        throw own.typeError("URL() takes an address");
      }
      const text = textOf(url);
      this.#url = parseWithBase(text, base);
      if (this.#url === null) {
        throw invalid(text, base);
      }
    }

    #setParams() {
      if (this.#params !== null) {
        setQuery(this.#params, this.#url.query === null ? "" : this.#url.query);
      }
    }

    get href() {
      return href(this.#url);
    }

    set href(value) {
      this.#url;
      const text = textOf(value);
      const url = parse(text, null);
      if (url === null) {
        throw invalid(text, undefined);
      }
      this.#url = url;
      this.#setParams();
    }

    get origin() {
      return origin(this.#url);
    }

    get protocol() {
      return this.#url.scheme + ":";
    }

    set protocol(value) {
      parse(textOf(value) + ":", null, this.#url, "schemeStart");
    }

    get username() {
      return this.#url.username;
    }

    set username(value) {
      const url = this.#url;
      const text = textOf(value);
      if (mayHaveCredentials(url)) {
        url.username = encode(text, sets.user);
      }
    }

    get password() {
      return this.#url.password;
    }

    set password(value) {
      const url = this.#url;
      const text = textOf(value);
      if (mayHaveCredentials(url)) {
        url.password = encode(text, sets.user);
      }
    }

    get host() {
      return hostText(this.#url);
    }

    set host(value) {
      const url = this.#url;
      const text = textOf(value);
      if (typeof url.path !== "string") {
        parse(text, null, url, "host");
      }
    }

    get hostname() {
      return this.#url.host === null ? "" : this.#url.host;
    }

    set hostname(value) {
      const url = this.#url;
      const text = textOf(value);
      if (typeof url.path !== "string") {
        parse(text, null, url, "hostname");
      }
    }

    get port() {
      return this.#url.port === null ? "" : "" + this.#url.port;
    }

    set port(value) {
      const url = this.#url;
      const text = textOf(value);
      if (!mayHaveCredentials(url)) {
        return;
      }
      if (text === "") {
        url.port = null;
      } else {
        parse(text, null, url, "port");
      }
    }

    get pathname() {
      return pathText(this.#url);
    }

    set pathname(value) {
      const url = this.#url;
      const text = textOf(value);
      if (typeof url.path !== "string") {
        url.path = newList();
        parse(text, null, url, "pathStart");
      }
    }

    get search() {
      const { query } = this.#url;
      return query === null || query === "" ? "" : "?" + query;
    }

    set search(value) {
      const url = this.#url;
      const text = textOf(value);
      if (text === "") {
        url.query = null;
      } else {
        url.query = "";
        parse(text[0] === "?" ? slice(text, 1) : text, null, url, "query");
      }
      this.#setParams();
    }

    get searchParams() {
      const url = this.#url;
      if (this.#params === null) {
        this.#params = ofURL(url.query === null ? "" : url.query, (text) => {
          this.#url.query = text === "" ? null : text;
        });
      }
      return this.#params;
    }

    get hash() {
      const { fragment } = this.#url;
      return fragment === null || fragment === "" ? "" : "#" + fragment;
    }

    set hash(value) {
      const url = this.#url;
      const text = textOf(value);
      if (text === "") {
        url.fragment = null;
      } else {
        url.fragment = "";
        parse(text[0] === "#" ? slice(text, 1) : text, null, url, "fragment");
      }
    }

    toString() {
      return href(this.#url);
    }

    toJSON() {
      return href(this.#url);
    }

    static canParse(url, base = undefined) {
      if (arguments.length === 0) {
        throw own.typeError("canParse() takes an address");
      }
      return parseWithBase(textOf(url), base) !== null;
    }

    static parse(url, base = undefined) {
      if (arguments.length === 0) {
        throw own.typeError("parse() takes an address");
      }
      const found = parseWithBase(textOf(url), base);
      if (found === null) {
        return null;
      }
      const result = new URL("a:");
      result.#url = found;
      return result;
    }

    static isOne(value) {
      return #url in value;
    }

    /* What the console shows. */
    static shape(value) {
      const url = value.#url;
      const query = url.query === null ? "" : url.query;
      return {
        __proto__: null,
        members: {
          href: href(url), origin: origin(url), protocol: url.scheme + ":", username: url.username,
          password: url.password, host: hostText(url), hostname: url.host === null ? "" : url.host,
          port: url.port === null ? "" : "" + url.port, pathname: pathText(url),
          search: query === "" ? "" : "?" + query, searchParams: ofURL(query, null),
          hash: url.fragment === null || url.fragment === "" ? "" : "#" + url.fragment,
        },
      };
    }
  }

  const { shape } = URL;
  delete URL.shape;
  need.finish(URL, shape);
  for (const name in { __proto__: null, canParse: 1, parse: 1 }) {
    own.defineProperty(URL, name, { __proto__: null, enumerable: true });
  }
  return { __proto__: null, URL, URLSearchParams };
})
