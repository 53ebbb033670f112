Promise.reject(new Error("lost"));
throw new Error("first");
