const args = { n: 1 };
const p = tools.a(args);
args.n = 2;
await p;
return 1;
