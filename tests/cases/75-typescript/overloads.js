import type { Thing } from "./thing";
function f(a: number): number;
function f(a: string): string;
function f(a: any): any {
  return a;
}
return [f(1), f("x")];
