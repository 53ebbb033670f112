const said = [];
for (const use of [() => setTimeout(() => {}, 1), () => setInterval(() => {}, 1)]) {
  try {
    use();
  } catch (e) {
    said.push(e.message);
  }
}
await sleep(1).catch((e) => said.push(e.message));
clearTimeout(5);
return said;
