function add(a, b) { return a + b; }
class Point {}
console.log(add, Point, new Point(), () => 1);
