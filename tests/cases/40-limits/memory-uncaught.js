const a = [];
for (;;) a.push([a.length]);
