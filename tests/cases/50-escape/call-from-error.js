throw {
  get message() {
    tools.a({ n: 1 });
    text("written");
    return "told";
  },
};
