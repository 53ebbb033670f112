const k = structuredClone(JSON.parse('{"__proto__": {"x": 1}}'));
return [Object.hasOwn(k, "__proto__"), k.x, Object.getPrototypeOf(k) === Object.prototype];
