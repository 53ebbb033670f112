text("a\ud800b");
console.log("\udc00", ["\ud800"]);
