tools.a({ n: 1 });
return "done";
