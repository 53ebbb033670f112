tools.a({ n: 1 });
return "kept";
