return Object.assign([1], { named: 2 });
