return [URL.canParse("http://a"), URL.canParse("a"), URL.canParse("a", "http://b"), URL.parse("x", "http://b/").href, URL.parse("x")];
