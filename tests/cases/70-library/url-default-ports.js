return ["http://a:80", "https://a:443", "ws://a:80", "wss://a:443", "ftp://a:21", "http://a:443", "foo://a:80"].map((x) => new URL(x).port);
