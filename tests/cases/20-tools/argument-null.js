await tools.a(null);
