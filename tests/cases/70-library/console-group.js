console.group("one");
console.log("a\nb");
console.groupCollapsed("two", { x: 1 });
console.table([1]);
console.groupEnd();
console.warn("c");
console.groupEnd();
console.groupEnd();
console.info("d");
