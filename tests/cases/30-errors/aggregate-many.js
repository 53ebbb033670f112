await Promise.any([1, 2, 3, 4, 5].map((n) => Promise.reject(new Error("no " + n))));
