const seen = Object.getOwnPropertyNames(Object.getPrototypeOf(tools) ?? {});
return [seen, typeof tools.a, tools.a.constructor === Function];
