Promise.resolve().then(() => { throw new Error("second"); });
throw new Error("first");
