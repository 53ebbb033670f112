for (const name of ["get", "set", "delete"]) {
  Map.prototype[name] = () => { throw new Error("patched"); };
}
JSON.stringify = Promise.prototype.then = globalThis.Promise = undefined;
await wake_agent({ still: "here" });
