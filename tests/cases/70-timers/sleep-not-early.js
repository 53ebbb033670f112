const late = [];
for (const ms of [1, 2, 3, 7, 20]) {
  const from = performance.now();
  await sleep(ms);
  late.push(performance.now() - from >= ms);
}
return late;
