const e = new Error("first");
Object.defineProperty(e, "name", { get() { Promise.resolve().then(() => text("no")); return "N"; } });
throw e;
