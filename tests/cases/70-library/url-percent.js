const u = new URL("http://a/é b\"<>`{}|?é b\"<>'`#é b\"<>`");
return [u.pathname, u.search, u.hash];
