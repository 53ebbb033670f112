const a = { name: "loop" };
a.self = a;
return a;
