await tools.a({});
