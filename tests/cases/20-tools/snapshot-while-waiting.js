const args = { n: 0 };
const all = [];
for (let i = 0; i < 3; i++) {
  args.n = i;
  all.push(tools.a(args));
}
await Promise.all(all);
return 1;
