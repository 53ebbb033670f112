}}); globalThis.leaked = 1; ({ async x() {
