return { toJSON() {} };
