const { log, table } = console;
log("x");
table(1);
return [String(console), Object.keys(console).includes("log"), Object.keys(console).includes("table")];
