return [new Date(NaN)];
