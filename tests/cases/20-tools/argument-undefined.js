return (await tools.a(undefined)).text;
