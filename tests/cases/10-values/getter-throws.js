return { get a() { throw new Error("no way"); } };
