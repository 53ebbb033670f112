const out = [];
for (const f of [() => TextEncoder(), () => TextDecoder(), () => TextDecoder.prototype.fatal, () => TextEncoder.prototype.encode.call({}, "a")]) {
  try {
    f();
    out.push("no");
  } catch (e) {
    out.push(e.name);
  }
}
return [...out, String(new TextEncoder()), String(new TextDecoder()), new TextEncoder().encoding, TextDecoder.length, Object.keys(TextEncoder.prototype).sort()];
