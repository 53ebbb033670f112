tools.a({});
return {
  toJSON() {
    setTimeout(() => text("never"), 1);
    sleep(1).then(() => text("never"));
    return 7;
  },
};
