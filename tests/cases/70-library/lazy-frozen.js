Object.freeze(globalThis);
return [new URL("http://a/b").pathname, structuredClone([1]), URL === URL];
