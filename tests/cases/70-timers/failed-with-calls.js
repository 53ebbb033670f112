tools.a({});
setTimeout(() => text("never"), 10);
throw new Error("first");
