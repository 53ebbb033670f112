for (;;) {
  Array.from({ length: 1000 }, (_, i) => i).sort((a, b) => (a * 7919) % 1000 - (b * 7919) % 1000);
}
