let how;
try {
  JSON.parse("[".repeat(2000000) + "]".repeat(2000000));
  how = "parsed";
} catch (e) {
  how = e.name;
}
return how === "parsed" || how === "RangeError" ? "survived" : how;
