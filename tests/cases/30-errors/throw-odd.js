throw [1, { a: 2 }];
