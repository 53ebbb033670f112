await tools.a({ n: 1 });
return 1;
