throw {
  get name() { throw 1; },
  get message() { return "kept"; },
  get stack() { throw 2; },
};
