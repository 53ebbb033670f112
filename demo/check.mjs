// SPDX-License-Identifier: MIT
//
// Checks what the demo's script answered and left behind against an answer worked out here, from
// the files themselves and by another road; then tells what happened, for the screen.
//
//   node demo/check.mjs RUN.json DESK
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";

const [runFile, desk] = process.argv.slice(2);
const folder = new URL("files/", import.meta.url);
const run = JSON.parse(readFileSync(runFile, "utf8"));
const read = (path) => readFileSync(new URL(path, folder), "utf8");
const all = (sub) => readdirSync(new URL(sub, folder)).map((name) => read(sub + name));

function field(ticket, name) {
    return ticket.split("\n").find((line) => line.startsWith(`${name}: `)).slice(name.length + 2);
}

// One product at a time, over all the files, where the script goes over the files once.
function expectedAnswer() {
    const tickets = all("tickets/");
    const orders = all("orders/").map(JSON.parse);
    const stock = all("stock/").join("\n").split("\n").map((line) => line.split(","));
    const customers = read("customers.csv").split("\n");
    const orderOf = (ticket) => orders.find((order) => order.order === field(ticket, "Order"));
    const isGold = (ticket) =>
        customers.some((line) => line.startsWith(`${orderOf(ticket).customer},`) && line.endsWith(",gold"));
    const reorder = [];
    for (const sku of new Set(orders.flatMap((order) => order.items.map((item) => item.sku)))) {
        const item = orders.flatMap((order) => order.items).find((one) => one.sku === sku);
        const waiting = tickets.filter(
            (ticket) =>
                field(ticket, "Item") === sku && field(ticket, "Wanted") === "replace" &&
                field(ticket, "Status") !== "closed" && orderOf(ticket),
        );
        const pieces = waiting.reduce((sum, ticket) => sum + +field(ticket, "Pieces"), 0);
        // From the end of the line, where no quoted comma can shift a column.
        const free = stock.filter((row) => row[0] === sku).reduce((sum, row) => sum + +row.at(-3) - row.at(-2), 0);
        if (pieces > free) {
            reorder.push({
                sku, name: item.name, pieces, gold: waiting.filter(isGold).length, free,
                short: pieces - free, short_cents: (pieces - free) * item.unit_cents,
            });
        }
    }
    reorder.sort((a, b) => (a.short === b.short ? a.sku.localeCompare(b.sku) : b.short - a.short));
    const count = (status) => tickets.filter((ticket) => field(ticket, "Status") === status).length;
    return {
        status: { open: count("open"), waiting: count("waiting"), closed: count("closed") },
        no_such_order: tickets.filter((ticket) => !orderOf(ticket)).map((ticket) => field(ticket, "Ticket")).sort(),
        reorder,
        sum: `The sum of ${tickets.length} and ${orders.length} is ${tickets.length + orders.length}.`,
    };
}

const expected = expectedAnswer();
assert.equal(run.ending, "finished", `the script ${run.ending}: ${run.error?.message}`);
assert.deepEqual(run.value.answer, expected, "the script's answer is not the expected one");
assert.ok(expected.reorder.length >= 3, "the sample files hold too little to show");
assert.deepEqual(
    readFileSync(`${desk}/reorder.txt`, "utf8").split("\n").map((line) => line.split(":")[0]).filter(Boolean),
    expected.reorder.map((row) => `${row.sku} ${row.name}`),
    "the report that the script wrote is not the expected one",
);
const entities = readFileSync(`${desk}/memory.jsonl`, "utf8").trim().split("\n").map(JSON.parse);
assert.deepEqual(
    entities.map((entity) => entity.name).sort(),
    expected.reorder.map((row) => row.sku).sort(),
    "the entities that the script left in memory are not the expected ones",
);
const reads = run.calls.filter((call) => call.tool === "files.read_text_file").length;
assert.ok(reads >= 60, `the script read ${reads} files, not at least 60`);
assert.equal(run.calls.length, run.value.told.calls, "the record and the script count different calls");
assert.ok(run.calls.every((call) => call.state === "answered"), "a call was not answered");

const script = readFileSync(new URL("demo.js", import.meta.url), "utf8").length;
const answer = JSON.stringify(run.value.answer).length + run.output.length;
const number = (n) => n.toLocaleString("en-US").padStart(9);
const tools = {};
for (const call of run.calls) {
    tools[call.tool] = (tools[call.tool] ?? 0) + 1;
}
console.log("\nThe script asked three real MCP servers:");
for (const [tool, n] of Object.entries(tools)) {
    console.log(`${number(n)}  ${tool}`);
}
console.log(`\n${number(run.calls.length)}  calls in ${run.stats.wall_ms} ms, first one after ${run.stats.first_call_ms} ms`);
console.log(`           walls: ${run.walls}`);
console.log("\nIts answer (checked against one worked out from the files by other code):");
for (const row of expected.reorder) {
    console.log(`${number(row.short)}  ${row.name} (${row.sku}): ${row.pieces} wanted, ${row.free} free`);
}
console.log(`\n${number(run.value.told.characters)}  characters of calls and results, read one by one without torno`);
console.log(`${number(script)}  characters of script that a model writes with it`);
console.log(`${number(answer)}  characters of answer that it reads`);
