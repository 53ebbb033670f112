const u = new URL("https://user:pass@Example.COM:8080/a/b/../c?x=1&y=2#frag");
return [u.href, u.origin, u.protocol, u.username, u.password, u.host, u.hostname, u.port, u.pathname, u.search, u.hash];
