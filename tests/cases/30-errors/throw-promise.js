throw Promise.resolve(1);
