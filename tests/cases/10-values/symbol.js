return Symbol("mine");
