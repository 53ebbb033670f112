interface Shape { area(): number }
abstract class Base implements Shape {
  protected readonly kind: string = "base";
  declare ghost: number;
  static count = 0;
  constructor(public side: number, private other?: string) {}
  abstract area(): number;
  describe(): string {
    return this.kind + this.area();
  }
}
class Square extends Base {
  override area(): number {
    return this.side ** 2;
  }
}
const s = new Square(3);
return [s.describe(), s.side, "ghost" in s];
