tools.a({}).then(tools.b);
