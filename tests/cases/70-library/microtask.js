const out = [];
setTimeout(() => out.push(3), 0);
queueMicrotask(() => out.push(2));
out.push(1);
await new Promise((r) => setTimeout(r, 5));
let refused = "no";
try {
  queueMicrotask(1);
} catch (e) {
  refused = e.name;
}
return [out, refused];
