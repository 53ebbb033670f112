return new Set([1, 2, 3]);
