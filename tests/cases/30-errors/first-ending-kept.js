tools.a({}).then(() => { throw new Error("late"); });
return "kept";
