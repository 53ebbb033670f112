throw new Map([["k", 1]]);
