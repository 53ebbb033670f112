let n = 0;
await new Promise((resolve) => {
  const timer = setInterval((word) => {
    n++;
    if (n === 4) {
      clearInterval(timer);
      resolve(word);
    }
  }, 2, "word");
});
await sleep(20);
return n;
