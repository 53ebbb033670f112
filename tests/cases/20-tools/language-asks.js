const text = JSON.stringify(tools);
await tools;
await tools.s;
return [text, typeof tools.toString, typeof tools.s.valueOf, "" + tools.s.t];
