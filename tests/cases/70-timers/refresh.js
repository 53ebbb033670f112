let n = 0;
let t;
await new Promise((resolve) => {
  t = setTimeout(() => {
    n++;
    if (n < 3) t.refresh();
    else resolve();
  }, 2);
});
clearTimeout(t);
t.refresh();
await sleep(10);
return n;
