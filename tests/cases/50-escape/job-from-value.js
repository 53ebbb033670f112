return {
  toJSON() {
    Promise.resolve().then(() => { text("late"); tools.a({}); });
    return "value";
  },
};
