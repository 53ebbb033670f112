return { get a() { return 5; } };
