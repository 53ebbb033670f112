return { at: new URL("http://a/b") };
