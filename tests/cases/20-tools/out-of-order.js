const order = [];
const one = tools.a({ n: 1 }).then((r) => order.push(r.text));
const two = tools.a({ n: 2 }).then((r) => order.push(r.text));
await Promise.all([one, two]);
return order;
