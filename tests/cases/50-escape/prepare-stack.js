Error.prepareStackTrace = (e, frames) => frames;
Error.stackTraceLimit = { valueOf() { return 5; } };
throw new Error("kept");
