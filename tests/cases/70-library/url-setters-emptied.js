const u = new URL("http://u:p@h:8/p?q#f");
u.username = u.password = u.port = u.search = u.hash = "";
return u.href;
