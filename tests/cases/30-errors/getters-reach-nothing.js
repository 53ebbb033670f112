throw {
  get name() { tools.a({}); text("no"); return "Odd"; },
  get message() { console.log("no"); setTimeout(() => text("no"), 1); return "still"; },
  get stack() { tools.a({}); return ""; },
};
