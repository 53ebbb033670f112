const e = new Error("m");
e.stack = undefined;
const said = [e.stack];
e.stack = { odd: 1 };
said.push(typeof e.stack, Object.keys(e).length);
delete e.stack;
said.push(e.stack.split("\n")[0]);
return said;
