return Promise.resolve(3);
