tools.a({ n: 1 }).then(() => tools.a({ n: 2 })).then(() => tools.a({ n: 3 })).then(() => text("end"));
return "first";
