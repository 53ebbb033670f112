throw { get message() { throw new Error("again"); } };
