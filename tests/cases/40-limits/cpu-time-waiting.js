return (await tools.a({})).text;
