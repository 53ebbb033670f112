function odd(n) { return n === 0 ? fail() : even(n - 1); }
function even(n) { return n === 0 ? fail() : odd(n - 1); }
function fail() { throw new Error("bottom"); }
even(40);
