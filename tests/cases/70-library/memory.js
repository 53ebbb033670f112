const big = [];
try {
  for (;;) {
    big.push(new Uint8Array(65536));
  }
} catch {}
let told = "";
try {
  new URL("http://a/");
} catch (e) {
  told = e.name + ": " + e.message;
}
big.length = 0;
return [told, new URL("http://a/").host];
