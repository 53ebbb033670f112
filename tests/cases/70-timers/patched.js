Array.prototype.push = Map.prototype.get = Map.prototype.set = Map.prototype.delete = () => {
  throw new Error("patched");
};
Reflect.apply = Promise.prototype.then;
Object.defineProperty(Array.prototype, 0, { set() { throw new Error("patched"); } });
let n = 0;
await new Promise((resolve) => {
  const t = setInterval(() => {
    if (++n === 3) {
      clearInterval(+t);
      resolve();
    }
  }, 1);
});
await sleep(5);
return n === 3;
