class P extends Promise {}
const p = new P((resolve) => resolve(1));
const own = Promise.resolve(2);
own.constructor = "mine";
const said = [Promise.prototype.constructor === Promise, p.constructor === P, await p,
              Object.keys(own).join(), own.constructor];
Promise.prototype.constructor = 5;
said.push(Promise.prototype.constructor, Object.keys(Promise.prototype).length);
delete Promise.prototype.constructor;
said.push(await Promise.resolve(3), await (async () => 4)());
return said;
