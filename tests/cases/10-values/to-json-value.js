return { toJSON() { return new Set([1]); } };
