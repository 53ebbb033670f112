throw new AggregateError([new Error("one"), new TypeError("two")], "both failed");
