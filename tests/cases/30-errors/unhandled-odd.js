Promise.reject(5);
Promise.reject({ code: 1 });
Promise.reject(undefined);
return 1;
