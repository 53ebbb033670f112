await tools.read({});
