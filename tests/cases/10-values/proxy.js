return new Proxy({ a: 1 }, { get: () => 9 });
