return {
  toJSON() {
    tools.a({ n: 1 });
    return "value";
  },
};
