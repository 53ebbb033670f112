function f0() { return f1(); } function f1() { return f2(); } function f2() { return f3(); }
function f3() { return f4(); } function f4() { return f5(); } function f5() { return f6(); }
function f6() { return f7(); } function f7() { return f8(); } function f8() { return f9(); }
function f9() { return g0(); } function g0() { return g1(); } function g1() { return g2(); }
function g2() { return g3(); } function g3() { return g4(); } function g4() { return g5(); }
function g5() { return g6(); } function g6() { return g7(); } function g7() { return g8(); }
function g8() { return g9(); } function g9() { throw new Error("bottom"); }
f0();
