return [Object(1), Object("s"), Object(false), Object(7n)];
