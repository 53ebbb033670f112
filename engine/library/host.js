/* SPDX-License-Identifier: MIT
 *
 * Hosts of URLs, and percent-encoding. Source of truth: the WHATWG URL Standard, chapters
 * "Hosts" and "Percent-encoded bytes"; punycode is RFC 3492.
 *
 * Known limits: a host that is not ASCII is mapped by NFKC and lower case, which is what
 * the table of UTS #46 comes to for nearly all names; its rules of bidi and of joiners are
 * not checked. Failure is null throughout.
 */
(function makeHost(own, native, need) {
  "use strict";

  const { slice, indexOf, codeAt, test, exec, floor } = own;
  const { textOfBytes } = need("encoding");
  const HEX = "0123456789ABCDEF";

  const fragmentSet = " \"<>`";
  const querySet = " \"#<>";
  const pathSet = querySet + "?^`{}";
  const userSet = pathSet + "/:;=@[\\]|";
  const sets = {
    __proto__: null, control: "", fragment: fragmentSet, query: querySet,
    specialQuery: querySet + "'", path: pathSet, user: userSet,
    form: userSet + "$%&+,!'()~",
  };

  function hexByte(byte) {
    return "%" + HEX[byte >> 4] + HEX[byte & 15];
  }

  /* Percent-encodes what is not printable ASCII, and the characters of a set. */
  function encode(text, set) {
    let result = "";
    let from = 0;

    if (test(/^[a-zA-Z0-9._-]*$/, text)) {
      return text;
    }
    for (let i = 0; i < text.length; i++) {
      const code = codeAt(text, i);
      if (code > 0x1f && code < 0x7f && indexOf(set, text[i]) < 0) {
        continue;
      }
      result += slice(text, from, i);
      if (code < 0x80) {
        result += hexByte(code);
      } else {
        const point = own.pointAt(text, i);
        const size = point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
        result += hexByte((size === 2 ? 0xc0 : size === 3 ? 0xe0 : 0xf0) | point >> 6 * (size - 1));
        for (let at = size - 2; at >= 0; at--) {
          result += hexByte(0x80 | point >> 6 * at & 0x3f);
        }
        i += size === 4 ? 1 : 0;
      }
      from = i + 1;
    }
    return from === 0 ? text : result + slice(text, from);
  }

  /* The text of percent-encoded bytes, as UTF-8 without a byte order mark's loss. */
  function decode(text) {
    if (indexOf(text, "%") < 0) {
      return text;
    }
    const source = new own.Uint8Array(native.utf8Bytes(text));
    const length = own.typedArrayLength(source);
    let n = 0;

    for (let i = 0; i < length; i++, n++) {
      const high = source[i] === 0x25 && i + 2 < length ? digitOf(source[i + 1], 16) : -1;
      const low = high >= 0 ? digitOf(source[i + 2], 16) : -1;
      source[n] = source[i];
      if (low >= 0) {
        source[n] = high << 4 | low;
        i += 2;
      }
    }
    return n === 0 ? "" : textOfBytes(new own.Uint8Array(own.arrayBuffer(source), 0, n));
  }

  function digitOf(code, base) {
    const lower = code | 0x20;
    const digit = code >= 0x30 && code <= 0x39 ? code - 0x30
      : lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : 99;

    return digit < base ? digit : -1;
  }

  /* IPv4 */

  /* A list without a prototype that counts in n. */
  function split(text, by) {
    const list = { __proto__: null, n: 0 };
    let from = 0;

    for (let at = indexOf(text, by); at >= 0; at = indexOf(text, by, from)) {
      list[list.n++] = slice(text, from, at);
      from = at + by.length;
    }
    list[list.n++] = slice(text, from);
    return list;
  }

  function ipv4Number(text) {
    let base = 10;
    let from = 0;
    let value = 0;

    if (text === "") {
      return null;
    }
    if (test(/^0[xX]/, text)) {
      base = 16;
      from = 2;
    } else if (text.length > 1 && text[0] === "0") {
      base = 8;
      from = 1;
    }
    for (let i = from; i < text.length; i++) {
      const digit = digitOf(codeAt(text, i), base);
      if (digit < 0) {
        return null;
      }
      value = value * base + digit;
    }
    return value;
  }

  function endsInNumber(text) {
    const parts = split(text, ".");

    if (parts[parts.n - 1] === "") {
      if (parts.n === 1) {
        return false;
      }
      parts.n--;
    }
    const last = parts[parts.n - 1];
    return test(/^\d+$/, last) || (test(/^0[xX]/, last) && ipv4Number(last) !== null);
  }

  function parseIPv4(text) {
    const parts = split(text, ".");
    let value = 0;

    if (parts[parts.n - 1] === "" && parts.n > 1) {
      parts.n--;
    }
    if (parts.n > 4) {
      return null;
    }
    for (let i = 0; i < parts.n; i++) {
      const number = ipv4Number(parts[i]);
      const isLast = i === parts.n - 1;
      if (number === null || number > (isLast ? 256 ** (5 - parts.n) - 1 : 255)) {
        return null;
      }
      value += isLast ? number : number * 256 ** (3 - i);
    }
    return floor(value / 16777216) + "." + floor(value / 65536) % 256 + "." +
      floor(value / 256) % 256 + "." + value % 256;
  }

  /* IPv6 */

  function parseIPv6(text) {
    const pieces = { __proto__: null, 0: 0, 1: 0, 2: 0, 3: 0, 4: 0, 5: 0, 6: 0, 7: 0 };
    let n = 0;
    let compress = -1;
    let at = 0;

    if (text[0] === ":") {
      if (text[1] !== ":") {
        return null;
      }
      at = 2;
      compress = n = 1;
      pieces[0] = 0;
    }
    while (at < text.length) {
      if (n === 8) {
        return null;
      }
      if (text[at] === ":") {
        if (compress >= 0) {
          return null;
        }
        at++;
        pieces[n++] = 0;
        compress = n;
        continue;
      }
      let value = 0;
      let length = 0;
      for (; length < 4 && at < text.length && digitOf(codeAt(text, at), 16) >= 0; length++) {
        value = value * 16 + digitOf(codeAt(text, at++), 16);
      }
      if (text[at] === ".") {
        const tail = length === 0 || n > 6 ? null : parseIPv4Tail(slice(text, at - length));
        if (tail === null) {
          return null;
        }
        pieces[n++] = floor(tail / 65536);
        pieces[n++] = tail % 65536;
        break;
      }
      if (text[at] === ":") {
        at++;
        if (at === text.length) {
          return null;
        }
      } else if (at < text.length) {
        return null;
      }
      pieces[n++] = value;
    }
    if (compress >= 0) {
      for (let swaps = n - compress, last = 7; last !== 0 && swaps > 0; last--, swaps--) {
        const piece = pieces[last];
        pieces[last] = pieces[compress + swaps - 1];
        pieces[compress + swaps - 1] = piece;
      }
    } else if (n !== 8) {
      return null;
    }
    return "[" + ipv6Text(pieces) + "]";
  }

  /* Four decimal numbers without leading zeros. */
  function parseIPv4Tail(text) {
    const parts = split(text, ".");
    let value = 0;

    if (parts.n !== 4) {
      return null;
    }
    for (let i = 0; i < 4; i++) {
      if (!test(/^(?:0|[1-9]\d{0,2})$/, parts[i]) || +parts[i] > 255) {
        return null;
      }
      value = value * 256 + +parts[i];
    }
    return value;
  }

  /* The longest run of two or more zeros, the first of the longest, is written "::". */
  function ipv6Text(pieces) {
    let best = -1;
    let bestLength = 1;
    let text = "";

    for (let i = 0; i < 8; i++) {
      let length = 0;
      while (i + length < 8 && pieces[i + length] === 0) {
        length++;
      }
      if (length > bestLength) {
        best = i;
        bestLength = length;
      }
      i += length;
    }
    for (let i = 0; i < 8; i++) {
      if (i === best) {
        text += i === 0 ? "::" : ":";
        i += bestLength - 1;
        continue;
      }
      text += own.numberText(pieces[i], 16) + (i < 7 ? ":" : "");
    }
    return text;
  }

  /* Punycode */

  function adapt(delta, count, isFirst) {
    let k = 0;

    delta = isFirst ? floor(delta / 700) : delta >> 1;
    delta += floor(delta / count);
    for (; delta > 455; k += 36) {
      delta = floor(delta / 35);
    }
    return k + floor(36 * delta / (delta + 38));
  }

  function threshold(k, bias) {
    return k <= bias ? 1 : k >= bias + 26 ? 26 : k - bias;
  }

  function punycode(label) {
    const digits = "abcdefghijklmnopqrstuvwxyz0123456789";
    const points = { __proto__: null, n: 0 };
    let result = "";
    let n = 128;
    let delta = 0;
    let bias = 72;

    for (let i = 0; i < label.length; i++) {
      const point = own.pointAt(label, i);
      points[points.n++] = point;
      result += point < 128 ? label[i] : "";
      i += point > 0xffff ? 1 : 0;
    }
    const basic = result.length;
    let handled = basic;
    result += basic > 0 ? "-" : "";
    while (handled < points.n) {
      let next = 0x110000;
      for (let i = 0; i < points.n; i++) {
        next = points[i] >= n && points[i] < next ? points[i] : next;
      }
      delta += (next - n) * (handled + 1);
      n = next;
      for (let i = 0; i < points.n; i++) {
        delta += points[i] < n ? 1 : 0;
        if (points[i] !== n) {
          continue;
        }
        let q = delta;
        for (let k = 36;; k += 36) {
          const t = threshold(k, bias);
          if (q < t) {
            break;
          }
          result += digits[t + (q - t) % (36 - t)];
          q = floor((q - t) / (36 - t));
        }
        result += digits[q];
        bias = adapt(delta, handled + 1, handled === basic);
        delta = 0;
        handled++;
      }
      delta++;
      n++;
    }
    return result;
  }

  function fromPunycode(text) {
    const split = own.lastIndexOf(text, "-");
    const points = { __proto__: null, n: 0 };
    let n = 128;
    let bias = 72;
    let at = split > 0 ? split + 1 : 0;
    let i = 0;

    for (let j = 0; j < split; j++) {
      points[points.n++] = codeAt(text, j);
    }
    while (at < text.length) {
      const before = i;
      for (let w = 1, k = 36;; k += 36) {
        const digit = at < text.length ? indexOf("abcdefghijklmnopqrstuvwxyz0123456789", text[at++])
                                       : -1;
        if (digit < 0) {
          return null;
        }
        i += digit * w;
        const t = threshold(k, bias);
        if (digit < t) {
          break;
        }
        w *= 36 - t;
      }
      bias = adapt(i - before, points.n + 1, before === 0);
      n += floor(i / (points.n + 1));
      i %= points.n + 1;
      if (n > 0x10ffff) {
        return null;
      }
      for (let j = points.n++; j > i; j--) {
        points[j] = points[j - 1];
      }
      points[i++] = n;
    }
    let result = "";
    for (let j = 0; j < points.n; j++) {
      result += own.fromPoint(points[j]);
    }
    return result;
  }

  /* Domains */

  function mapDomain(text) {
    const lower = own.toLowerCase(own.normalize(text, "NFKC"));
    const mapped = own.replaceAll(own.normalize(lower, "NFKC"), "\u3002", ".");

    return own.replaceAll(own.replaceAll(mapped, "\u00ad", ""), "\u200b", "");
  }

  function isGoodLabel(label) {
    return own.normalize(label, "NFC") === label && mapDomain(label) === label &&
      !test(/^\p{M}|[.\ufffd\p{Cc}\p{Cs}\p{Co}\p{Cn}\p{Zs}]/u, label);
  }

  function labelToASCII(label) {
    if (test(/^xn--/, label)) {
      const inner = fromPunycode(slice(label, 4));
      return inner === null || inner === "" || !test(/[^\0-\x7f]/, inner) ||
        !isGoodLabel(inner) || "xn--" + punycode(inner) !== label ? null : label;
    }
    if (!test(/[^\0-\x7f]/, label)) {
      return label;
    }
    return isGoodLabel(label) ? "xn--" + punycode(label) : null;
  }

  function domainToASCII(text) {
    const isPlain = !test(/[^\0-\x7f]/, text);
    const mapped = isPlain ? own.toLowerCase(text) : mapDomain(text);

    if (isPlain && !test(/(?:^|\.)xn--/, mapped)) {
      return mapped === "" ? null : mapped;
    }
    const labels = split(mapped, ".");
    let result = "";
    for (let i = 0; i < labels.n; i++) {
      const label = labelToASCII(labels[i]);
      if (label === null) {
        return null;
      }
      result += (i > 0 ? "." : "") + label;
    }
    return result === "" ? null : result;
  }

  const forbiddenHost = /[\0\t\n\r #/:<>?@[\\\]^|]/;
  const forbiddenDomain = /[\0-\x20#/:<>?@[\\\]^|%\x7f]/;

  /* A host as it is written; null where text is none. */
  function parseHost(text, isSpecial) {
    if (text[0] === "[") {
      return exec(/\]$/, text) === null ? null : parseIPv6(slice(text, 1, text.length - 1));
    }
    if (!isSpecial) {
      return test(forbiddenHost, text) ? null : encode(text, sets.control);
    }
    const domain = domainToASCII(decode(text));
    if (domain === null || test(forbiddenDomain, domain)) {
      return null;
    }
    return endsInNumber(domain) ? parseIPv4(domain) : domain;
  }

  return { __proto__: null, parseHost, encode, decode, sets, split };
})
