function within(promise, ms) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error("too late: " + ms)), ms);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
const first = (await within(tools.a({ n: 1 }), 5000)).text;
let second;
try {
  await within(tools.a({ n: 2 }), 20);
} catch (e) {
  second = e.message;
}
return [first, second];
