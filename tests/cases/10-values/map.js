return new Map([["a", 1], ["b", [2]]]);
