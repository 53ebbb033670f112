const log = [];
const error = {
  get name() { log.push("name"); return "Odd"; },
  get message() { log.push("message"); return "read " + log.join(); },
  get stack() { log.push("stack"); return ""; },
};
throw error;
