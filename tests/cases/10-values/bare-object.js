return Object.assign(Object.create(null), { a: 1 });
