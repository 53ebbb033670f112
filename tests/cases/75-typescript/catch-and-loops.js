let out: string[] = [];
try {
  throw new Error("x");
} catch (e: unknown) {
  out.push((e as Error).message);
}
for (let i: number = 0; i < 2; i++) out.push(String(i));
for (const x of [3] as number[]) out.push(String(x));
return out;
