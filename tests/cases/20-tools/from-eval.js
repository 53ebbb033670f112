const r = await eval("tools.a({ from: 'eval' })");
const s = await new Function("return tools.a({ from: 'Function' })")();
return [r.text, s.text];
