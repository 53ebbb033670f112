const a = tools.a;
globalThis.tools = { a: () => "forged" };
return [tools.a(), (await a({ n: 1 })).text];
