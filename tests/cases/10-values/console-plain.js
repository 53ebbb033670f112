console.log("a", 1, true, null, undefined);
console.info("info");
console.warn("warn");
console.error("error");
console.debug("debug");
