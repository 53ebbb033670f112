`a
b`;
return "a";
