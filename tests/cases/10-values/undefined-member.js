return { a: undefined, b: 1, c: [undefined] };
