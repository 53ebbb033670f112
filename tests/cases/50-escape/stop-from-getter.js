const e = { get message() { for (;;) {} } };
throw e;
