let p = {};
for (let i = 0; i < 200000; i++) p = new Proxy(p, {});
let how;
try {
  how = String(p.x);
} catch (e) {
  how = e.name;
}
return how === "undefined" || how === "RangeError" ? "survived" : how;
