interface Reply { total: number }
const reply = await tools.add({ a: 1, b: 2 } as Record<string, number>);
const { total }: Reply = reply.data as Reply;
return total;
