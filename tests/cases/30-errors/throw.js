const a = 1;
throw new Error("boom");
