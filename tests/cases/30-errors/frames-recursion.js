function down(n) {
  if (n === 0) throw new Error("bottom");
  down(n - 1);
}
down(30);
