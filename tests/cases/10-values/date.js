return [new Date(Date.UTC(2020, 0, 2, 3, 4, 5, 6))];
