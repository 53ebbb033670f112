return ["http://a/b/%2e%2E/c", "http://a/b/.%2e", "http://a/%2e/x", "http://a/b/..;/c"].map((x) => new URL(x).pathname);
