return {
  toJSON() {
    text("written");
    console.log("logged");
    return "value";
  },
};
