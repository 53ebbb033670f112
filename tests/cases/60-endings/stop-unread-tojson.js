return { toJSON() { for (;;); } };
