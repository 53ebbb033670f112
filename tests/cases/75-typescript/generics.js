class Box<T = string> {
  #value: T;
  constructor(value: T) {
    this.#value = value;
  }
  map<U>(f: (value: T) => U): Box<U> {
    return new Box<U>(f(this.#value));
  }
  get value(): T {
    return this.#value;
  }
}
const m = new Map<string, Array<number>>([["a", [1]]]);
const id = <T,>(x: T): T => x;
return [new Box<number>(2).map<string>((x) => "n" + x).value, m.get("a")?.[0], id<number>(3), 1 < 2, 3 > 2];
