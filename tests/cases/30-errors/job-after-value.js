tools.a({}).then(() => queueMicrotask(() => { throw new Error("late job"); }));
return "kept?";
