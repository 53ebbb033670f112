await tools.ping();
await tools.ping(undefined);
return "ok";
