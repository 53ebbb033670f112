const names = ["process", "require", "module", "fetch", "Deno", "Bun", "std", "os", "bjson", "scriptArgs", "print", "load", "loadScript", "WebAssembly", "Worker", "__host", "__output", "native", "host_call"];
return names.filter((n) => n in globalThis);
