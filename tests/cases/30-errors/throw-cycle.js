throw (() => { const a = {}; a.a = a; return a; })();
