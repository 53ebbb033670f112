interface A {
  b: string;
  c: number;
}

type D =
  | "x"
  | "y";
function f(a: A): never {
  throw new Error("here");
}
f({} as A);
