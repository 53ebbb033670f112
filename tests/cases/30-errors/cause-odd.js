const error = new Error("outer");
error.cause = error; // itself
const rejected = new Error("side", { cause: { code: 7 } });
Promise.reject(rejected);
Object.defineProperty(error, "errors", { get() { text("never written"); throw 1; } });
throw error;
