for (let i = 0; i < 12; i++) Promise.reject(new Error("n" + i));
