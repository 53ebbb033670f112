return { p: Promise.resolve(1) };
