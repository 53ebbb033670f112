// SPDX-License-Identifier: MIT
//
// One script in one fresh node process, on the same engine module that torno compiles in: what
// the bench compares with. Lines of JSON: the script comes in first, calls go out, answers come
// in. It leaves by the quickest exit there is, since a plain one waits for V8's compiler threads.
import { readFileSync, readSync, writeSync } from "node:fs";
import { createRequire } from "node:module";
import { QuickJS } from "quickjs-wasi";

const input = Buffer.alloc(1 << 20);
let held = "";

function readLine() {
    for (;;) {
        const end = held.indexOf("\n");
        if (end >= 0) {
            const line = held.slice(0, end);
            held = held.slice(end + 1);
            return line;
        }
        const n = readSync(0, input);
        if (n === 0) {
            process.reallyExit(1);
        }
        held += input.toString("utf8", 0, n);
    }
}

const wasm = readFileSync(createRequire(import.meta.url).resolve("quickjs-wasi/quickjs.wasm"));
const vm = await QuickJS.create({ wasm });
const waiting = [];
const call = vm.newFunction("call", (args) => {
    const promise = vm.newPromise();
    waiting.push(promise);
    writeSync(1, `${JSON.stringify({ call: args.toString() })}\n`);
    return promise.handle;
});
vm.setProp(vm.global, "__call", call);
vm.evalCode("globalThis.tools = { t: async (args) => JSON.parse(await __call(JSON.stringify(args ?? {}))) };");
vm.evalCode(`(async () => {${JSON.parse(readLine())}\n})()`);
vm.executePendingJobs();
while (waiting.length > 0) {
    const answer = readLine();
    waiting.shift().resolve(vm.newString(answer));
    vm.executePendingJobs();
}
process.reallyExit(0);
