for (let i = 0; i < 14; i++) tools.a({});
tools.b({});
