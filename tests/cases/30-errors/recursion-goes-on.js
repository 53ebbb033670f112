function f() { return f() + 1; }
for (let i = 0; i < 3; i++) {
  try {
    f();
  } catch (e) {
    text(e.name);
  }
}
return (await tools.a({})).text;
