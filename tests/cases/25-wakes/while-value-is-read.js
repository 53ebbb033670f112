return { toJSON() { wake_agent("from the value").catch(() => {}); return 1; } };
