return ["http://a:8/x", "ftp://a", "file:///x", "foo://a", "blob:https://a.com/u", "data:x"].map((x) => new URL(x).origin);
