interface Point {
  x: number;
  readonly y?: string;
}
type Pair<T> = [T, T];
type Keys = keyof Point;
declare const nowhere: number;
declare function nothing(a: string): void;
const p: Point = { x: 1 };
const q: Pair<number> = [1, 2];
return [p, q, typeof nowhere];
