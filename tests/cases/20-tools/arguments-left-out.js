await tools.a({ u: undefined, d: new Date(0), n: null, b: 5n, nested: { u: undefined } });
return 1;
