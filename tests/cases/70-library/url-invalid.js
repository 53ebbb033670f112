const out = [];
for (const x of ["", "a", "//a", "http://", "http://a b", "http://[::g]", "http://1.2.3.256", "http://a:99999", "http://%", "https://a@"]) {
  try {
    out.push(new URL(x).href);
  } catch (e) {
    out.push(e.name + " " + e.code + " " + (e.input === x));
  }
}
return [...new Set(out)];
