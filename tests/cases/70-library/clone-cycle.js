const a = { list: [] };
a.self = a;
a.list.push(a, a.list);
const k = structuredClone(a);
return [k.self === k, k.list[0] === k, k.list[1] === k.list, k !== a];
