async function make() {
  await null;
  return new Array(250000).fill(7);
}
let n = 0;
for (let i = 0; i < 50; i++) n += (await make()).length;
return n;
