setTimeout(() => { text("tick"); tools.b({}); }, 5);
return (await tools.a({})).text;
