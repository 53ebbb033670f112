const registry = new FinalizationRegistry(() => { throw new Error("from the collector"); });
registry.register({}, 1);
await sleep(20);
return 1;
