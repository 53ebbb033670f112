await tools.a({ list: Array(99998).fill(0) });
return 1;
