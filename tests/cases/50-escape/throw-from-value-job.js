return {
  toJSON() {
    queueMicrotask(() => { throw new Error("late"); });
    return "value";
  },
};
