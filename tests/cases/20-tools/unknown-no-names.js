await tools.zzzzzzzzzz({});
