return { toJSON() { return { n: 5 }; } };
