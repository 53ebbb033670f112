for (let n = 1; ; n++) {
  const { data } = await tools.status({ n });
  if (data.done) return n;
  await sleep(2);
}
