String.prototype.toString = () => "forged";
globalThis.String = null;
Array.prototype.join = () => "forged";
text("real", 5);
console.log("real %s", "too");
