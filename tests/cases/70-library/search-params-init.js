return [[["a", 1], ["a", 2]], { b: 3, c: null }, new Map([["d", "4"]]), new URLSearchParams("e=5"), undefined].map((x) => String(new URLSearchParams(x)));
