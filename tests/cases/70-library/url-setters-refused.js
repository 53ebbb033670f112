const u = new URL("http://h:1/p");
u.protocol = "foo";
u.port = "x";
u.port = "70000";
u.host = "";
u.hostname = "a b";
try {
  u.href = "nope";
} catch (e) {
  return [u.href, e.name];
}
