for (let i = 0; i < 100; i++) tools.a({ i });
throw new Error("sync");
