const p = new URLSearchParams("a=1&b=2&c=3");
const seen = [];
for (const [k] of p) {
  seen.push(k);
  if (k === "a") {
    p.delete("b");
  }
}
const i = p.keys();
const each = [];
p.forEach((value, name, whole) => each.push(name + value + (whole === p)));
return [seen, Object.prototype.toString.call(i), i[Symbol.iterator]() === i, p[Symbol.iterator] === p.entries, each];
