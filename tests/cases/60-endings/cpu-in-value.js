return { get a() { for (;;) { } } };
