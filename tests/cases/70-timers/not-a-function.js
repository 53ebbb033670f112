const said = [];
for (const wrong of ["text('x')", undefined, null, 5, {}]) {
  try {
    setTimeout(wrong, 1);
  } catch (e) {
    said.push(e.name + ": " + e.message);
  }
}
try {
  setInterval();
} catch (e) {
  said.push(e.message);
}
return said;
