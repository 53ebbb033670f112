const u = new URL("http://h/");
u.protocol = "https";
u.username = "a:b";
u.password = "p@";
u.host = "x.org:8080";
u.pathname = "p q";
u.search = "a=b c";
u.hash = "f g";
return u.href;
