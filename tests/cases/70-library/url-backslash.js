return [new URL("http:\\\\a\\b\\c").href, new URL("foo://a\\b/".replace("\\", "/")).href, new URL("foo:\\x").pathname];
