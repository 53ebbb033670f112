class DbError extends Error {
  constructor(message, code, options) {
    super(message, options);
    this.name = "DbError";
    this.code = code;
  }
}
function query() {
  try {
    null.x;
  } catch (cause) {
    throw new DbError("query failed", 7, { cause });
  }
}
query();
