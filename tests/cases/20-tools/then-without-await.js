tools.a({}).then((r) => tools.b({ got: r.text }));
return "done";
