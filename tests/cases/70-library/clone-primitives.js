const c = structuredClone;
return [c(1), c("x"), c(null), c(true), String(c(5n)), Object.is(c(-0), -0), typeof c(Object("s")), c(Object("s")).valueOf(), c(Object(2)).valueOf(), String(c(Object(7n)))];
