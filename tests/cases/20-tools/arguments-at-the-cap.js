const room = 1000 - '{"s":""}'.length;
await tools.a({ s: "x".repeat(room) });
return 1;
