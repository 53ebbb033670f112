tools.a({ n: 1 });
throw new Error("impatient");
