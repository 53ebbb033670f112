const held = [];
for (let i = 0; ; i++) {
  held.push(String(i).padStart(1e6, "x"));
}
