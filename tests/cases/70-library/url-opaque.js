const u = new URL("mailto:a@b.c?subject=x y#z");
return [u.pathname, u.host, u.origin, u.search, u.hash, new URL("data:text/plain,hi there").href];
