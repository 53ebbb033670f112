for (let i = 0; i < 200000; i++) {
  const keep = new Array(100).fill(i);
  clearTimeout(setTimeout(() => keep, 3600000));
}
return "fine";
