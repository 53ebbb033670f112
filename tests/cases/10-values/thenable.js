return { then(resolve) { resolve("from then"); } };
