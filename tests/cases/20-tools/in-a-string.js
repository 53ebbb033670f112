text(`${tools}`, "" + tools.server, String(tools));
return typeof tools[Symbol.iterator];
