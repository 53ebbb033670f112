await tools.set({ n: 9007199254740992n });
await tools.set({ n: 9007199254740993n });
