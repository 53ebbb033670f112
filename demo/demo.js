// A small shop's question: which products must be ordered again first, so that everyone who got a
// broken parcel, or none, can be sent a new piece? It takes all tickets, all orders, all stock.
const told = { calls: 0, characters: 0 };

async function use(name, args = {}) {
    const result = await tools[name](args);
    if (result.isError) {
        throw new Error(`${name}: ${result.text}`);
    }
    told.calls += 1;
    told.characters += name.length + JSON.stringify(args).length + result.text.length;
    return result;
}

async function readFolder(folder) {
    const list = await use("files.list_directory", { path: folder });
    const names = [...list.text.matchAll(/^\[FILE\] (.+)$/gm)].map((match) => match[1]);
    return Promise.all(
        names.map(async (name) => (await use("files.read_text_file", { path: `${folder}/${name}` })).text),
    );
}

const [, shop, desk] = (await use("files.list_allowed_directories")).text.split("\n");
const [ticketTexts, orderTexts, stockTexts, [customerText]] = await Promise.all([
    readFolder(`${shop}/tickets`),
    readFolder(`${shop}/orders`),
    readFolder(`${shop}/stock`),
    readFolder(shop),
]);
console.log(`read ${ticketTexts.length} tickets, ${orderTexts.length} orders, ${stockTexts.length} stock lists`);

const rows = (csv) => csv.trim().split("\n").slice(1).map((line) => line.match(/("[^"]*"|[^,]+)/g));
const orders = new Map(orderTexts.map((text) => JSON.parse(text)).map((order) => [order.order, order]));
const tiers = new Map(rows(customerText).map(([id, , , , tier]) => [id, tier]));
const free = new Map();
for (const [sku, , onHand, reserved] of stockTexts.flatMap(rows)) {
    free.set(sku, (free.get(sku) ?? 0) + Number(onHand) - Number(reserved));
}

const status = { open: 0, waiting: 0, closed: 0 };
const noSuchOrder = [];
const wanted = new Map();
for (const text of ticketTexts) {
    const ticket = Object.fromEntries(
        [...text.split("\n\n", 1)[0].matchAll(/^(\w+): (.*)$/gm)].map(([, key, value]) => [key, value]),
    );
    status[ticket.Status] += 1;
    const order = orders.get(ticket.Order);
    if (order === undefined) {
        noSuchOrder.push(ticket.Ticket);
    } else if (ticket.Status !== "closed" && ticket.Wanted === "replace") {
        const item = order.items.find(({ sku }) => sku === ticket.Item);
        const row = wanted.get(item.sku) ?? { sku: item.sku, name: item.name, pieces: 0, gold: 0, unit: item.unit_cents };
        row.pieces += Number(ticket.Pieces);
        row.gold += tiers.get(order.customer) === "gold" ? 1 : 0;
        wanted.set(item.sku, row);
    }
}

const reorder = [...wanted.values()]
    .map(({ unit, ...row }) => ({ ...row, free: free.get(row.sku) ?? 0, unit }))
    .map(({ unit, ...row }) => ({ ...row, short: row.pieces - row.free, short_cents: (row.pieces - row.free) * unit }))
    .filter((row) => row.short > 0)
    .sort((a, b) => b.short - a.short || (a.sku < b.sku ? -1 : 1));

// The answer goes where people and other agents look: a report, and the shop's memory.
const report = reorder.map((row) => `${row.sku} ${row.name}: order ${row.short} (${row.pieces} wanted, ${row.free} free)\n`);
const [sum] = await Promise.all([
    use("everything.get-sum", { a: ticketTexts.length, b: orderTexts.length }),
    use("files.write_file", { path: `${desk}/reorder.txt`, content: report.join("") }),
    use("memory.create_entities", {
        entities: reorder.map((row) => ({
            name: row.sku,
            entityType: "product",
            observations: [`${row.short} pieces short`],
        })),
    }),
]);

return {
    answer: { status, no_such_order: noSuchOrder.sort(), reorder, sum: sum.text },
    told,
};
