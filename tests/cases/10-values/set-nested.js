return new Set([new Set([1]), "x"]);
