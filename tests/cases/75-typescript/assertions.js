const a = { b: { c: 1 } } as any;
const d = a!.b!.c satisfies number;
const e = <number>d;
const f = [1, 2] as const;
return [d, e, f.length, (a as { b: unknown }).b];
