let a = [];
for (let i = 0; i < 200000; i++) a = [a];
let how;
try {
  JSON.stringify(a);
  how = "written";
} catch (e) {
  how = e.name;
}
return how === "written" || how === "RangeError" ? "survived" : how;
