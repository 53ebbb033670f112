return [new Error("one"), { e: new TypeError("two") }];
