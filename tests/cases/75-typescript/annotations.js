const n: number = 1;
let s: string | undefined = "a";
const f = (a: number, b?: string, ...rest: number[]): number => a + rest.length;
function g<T extends object>(this: void, x: T): x is T {
  return true;
}
return [n, s, f(1, "x", 2, 3), g({})];
