const out = [];
for (const f of [() => new URLSearchParams([["a"]]), () => new URLSearchParams([1]), () => new URLSearchParams().append("a"), () => new URLSearchParams().get(), () => URLSearchParams(), () => new URLSearchParams("a").get(Symbol())]) {
  try {
    f();
    out.push("no");
  } catch (e) {
    out.push(e.name);
  }
}
return out;
