const u = new URL("http://h/");
u.port = "8080abc";
return u.port;
