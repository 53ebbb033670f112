const list = Array.from({ length: 100 }, () => crypto.randomUUID());
return [list.every((x) => /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(x)), new Set(list).size];
