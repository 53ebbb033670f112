const P = Promise.prototype;
const then = P.then;
P.then = function (a, b) { text("seen"); return then.call(this, a, b); };
P.constructor = null;
const r = await tools.a({ n: 1 });
return r.text;
