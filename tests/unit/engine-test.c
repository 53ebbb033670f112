/* SPDX-License-Identifier: MIT
 *
 * The engine: what a script sees, how it ends, and its bounds.
 */
#include "base/buf.h"
#include "base/fd.h"
#include "base/mem.h"
#include "cell/engine-rt.h"
#include "engine-play.h"
#include "t.h"

static void test_values(void)
{
    T_STR(play("return 1 + 1"), "= 2");
    T_STR(play("return { a: [1, 'x', null, true], u: undefined }"),
          "= {\"a\":[1,\"x\",null,true]}");
    T_STR(play(""), "= ");
    T_STR(play("return undefined"), "= ");
    T_STR(play("return null"), "= null");
    T_STR(play("// a comment at the end"), "= ");
    T_STR(play("return await Promise.resolve('é€😀')"), "= \"é€😀\"");
    T_STR(play("return 10n"), "= \"The script returned a BigInt, which JSON can't hold: 10\"");
    T_STR(play("return function f() {}"),
          "= \"The script returned a function, which JSON can't hold: function f() {}\"");
    T_STR(play("return Symbol('s')"),
          "= \"The script returned a symbol, which JSON can't hold: Symbol(s)\"");
    T_STR(play("const a = { x: 1 }; a.me = a; return a"), "= {\"x\":1,\"me\":\"[Circular]\"}");
    T_STR(play("return [new Map([['a', 1]]), new Map([[1, 2]]), new Set([3]), new Uint8Array(2), "
               "new TypeError('t'), new Date(0), 5n, /x/g]"),
          "= [{\"a\":1},[[1,2]],[3],[0,0],{\"name\":\"TypeError\",\"message\":\"t\"},"
          "\"1970-01-01T00:00:00.000Z\",\"5\",\"/x/g\"]");
    T_STR(play("return { toJSON() { throw new Error('no') } }"),
          "= \"The script returned a value that can't be made JSON (no): "
          "{ toJSON: [Function: toJSON] }\"");
    T_STR(play("return { toJSON() { tools.echo({}); text('x'); return 7 } }"), "= 7");
    T_STR(play("return { toJSON() { Promise.resolve().then(() => Promise.resolve()).then(() => { "
               "text('late'); tools.echo({}) }); return 7 } }"),
          "= 7");
    T_STR(
        play("tools.echo({}).then(() => text('pending')); return { toJSON() { text('no'); return 7 "
             "} }"),
        "> 1 echo {}\n~ pending\n= 7");
    T_STR(play_in(4, "return new Array(1e7)"),
          "= \"The script returned a value that can't be made JSON (out of memory): [ <10000 empty "
          "items>, ... 9990000 more items ]\"");
}

static void test_oversize(void)
{
    T_STR(play("return 'x'.repeat(24 * 1024 * 1024 - 1)"),
          "! oversize : the value is 25165825 bytes of JSON; at most 25165824 can be returned");
    play("return 'x'.repeat(24 * 1024 * 1024 - 2)");
    T_OK(strncmp(shared->text, "= \"xxx", 6) == 0);
}

static void test_errors(void)
{
    T_STR(play("function f() {\n  throw new TypeError('boom')\n}\nf()"),
          "! failed TypeError: boom\nframes [{\"function\":\"f\",\"line\":2,\"column\":13},"
          "{\"function\":\"\",\"line\":4,\"column\":1}]");
    T_STR(play("throw 'text'"), "! failed : text");
    T_STR(play("throw { code: 5 }"), "! failed : {\"code\":5}");
    T_STR(play("throw undefined"), "! failed : undefined");
    T_STR(play("throw null"), "! failed : null");
    T_STR(play("const e = new Error('m'); e.stack = 'forged'; throw e"),
          "! failed Error: m\nframes []");
    T_STR(play("const e = new Error('x'); e.name = { toString() { return 'N' } }; throw e"),
          "! failed N: x\nframes [{\"function\":\"\",\"line\":1,\"column\":15}]");
    T_STR(play("await Promise.reject(new RangeError('r'))"),
          "! failed RangeError: r\nframes [{\"function\":\"\",\"line\":1,\"column\":26}]");
    T_STR(play("function r(n) { if (n) r(n - 1); else throw new Error('deep') }\nr(30)"),
          "! failed Error: deep\nframes [{\"function\":\"r\",\"line\":1,\"column\":49},"
          "{\"function\":\"r\",\"line\":1,\"column\":29,\"times\":30},"
          "{\"function\":\"\",\"line\":2,\"column\":1}]");
    T_STR(play("eval('nothing.here')"), "! failed ReferenceError: nothing is not defined\nframes "
                                        "[{\"function\":\"\",\"line\":1,\"column\":1}]");
}

static void test_syntax(void)
{
    T_STR(play("let x = 1;\nlet y = ;"),
          "! failed SyntaxError: unexpected token in expression: ';' (line 2, column 9)\n"
          "let y = ;\n        ^\nframes [{\"function\":\"\",\"line\":2,\"column\":9}]");
    T_STR(play("return 1 }, function () { return 2"),
          "! failed SyntaxError: the script closes a brace that it never opened (line 1, column "
          "11)\nreturn 1 }, function () { return 2\n          ^\n"
          "frames [{\"function\":\"\",\"line\":1,\"column\":11}]");
    T_OK(strstr(play("return 1 }, { async x() { return 2"), "! failed SyntaxError") != NULL);
    T_OK(strstr(play("} async function g() {"), "! failed SyntaxError") != NULL);
    T_OK(strstr(play("}}); text('out'); ({async x(){"), "! failed SyntaxError") != NULL);
    T_OK(strstr(play("import fs from 'fs'"), "modules are not loaded") != NULL);
    T_OK(strstr(play("await import('fs')"), "modules are not loaded") != NULL);
}

static void test_absent(void)
{
    T_OK(strstr(play("await fetch('x')"), "fetch is not defined: a script reaches its tools") !=
         NULL);
    T_OK(strstr(play("require('fs')"), "require is not defined: a script reaches") != NULL);
    T_OK(strstr(play("process.exit()"), "process is not defined: a script reaches") != NULL);
    T_OK(strstr(play("setImmediate(() => 1)"), "setImmediate is not defined: use setTimeout") !=
         NULL);
    T_STR(play("return typeof fetch + typeof process + typeof require"),
          "= \"undefinedundefinedundefined\"");
}

static void test_calls(void)
{
    T_STR(play("const r = await tools.echo({ a: 1 }); return [r, r.text, r.data, Object.keys(r)]"),
          "> 1 echo {\"a\":1}\n= [{\"content\":[{\"type\":\"text\",\"text\":\"hello\"}],"
          "\"structuredContent\":{\"a\":1},\"isError\":false},\"hello\",{\"a\":1},"
          "[\"content\",\"structuredContent\",\"isError\"]]");
    T_STR(play("return (await tools.bare({ b: 2 })).data"), "> 1 bare {\"b\":2}\n= {\"b\":2}");
    T_STR(play("return (await tools.fail()).isError"), "> 1 fail {}\n= true");
    T_STR(play("await tools.fs.read_file({}); await tools['fs.write_file']({}); "
               "await tools.mem['create-it'](); return [Object.keys(tools.fs), 'echo' in tools, "
               "'zip' in tools, await tools === tools, typeof tools.then]"),
          "> 1 fs.read_file {}\n> 2 fs.write_file {}\n> 3 mem.create-it {}\n"
          "= [[\"read_file\",\"write_file\"],true,false,true,\"undefined\"]");
    T_STR(play("text('before'); await tools.echo({}); text('after')"),
          "~ before\n> 1 echo {}\n~ after\n= ");
    T_STR(play("return ALL_TOOLS"),
          "= [{\"name\":\"echo\",\"description\":\"says it again\",\"inputSchema\":{\"type\":"
          "\"object\"}}]");
    T_STR(play("tools.echo({ n: 1 }).then(() => tools.echo({ n: 2 }))"),
          "> 1 echo {\"n\":1}\n> 2 echo {\"n\":2}\n= ");
}

static void test_timers(void)
{
    T_STR(play("const t = performance.now(); await sleep(20); return performance.now() - t >= 20"),
          "= true");
    T_STR(play("setTimeout(() => text('lost'), 50); await tools.echo({}); return 1"),
          "> 1 echo {}\n= 1\nnotes [{\"note\":\"timers_dropped\",\"count\":1}]");
    T_STR(play("setTimeout(() => { throw new Error('late') }, 5); await sleep(50)"),
          "! failed Error: late\nframes [{\"function\":\"\",\"line\":1,\"column\":30}]");
    T_STR(play("setTimeout(() => text('during'), 2); tools.never({}); return 1"),
          "> 1 never {}\n~ during\nwaiting");
    /* A tick that finds nothing due is no harm, and one is asked for again. */
    T_STR(play("let n = 0; const i = setInterval(() => { if (++n === 20) clearInterval(i) }, 1); "
               "while (n < 20) await sleep(1); return n"),
          "= 20");
}

/* The timers by a clock that stands still: what is due in one moment fires in the order of its
 * setting, refreshed ones last, whatever the heap has done to it. */
static void test_timer_order(void)
{
    static const char script[] =
        "let clock = 7;\n"
        "const timers = makeTimers(makeOwn(() => 0), { now: () => clock }, () => false);\n"
        "const { setTimeout, clearTimeout } = timers.globals;\n"
        "const log = [];\n"
        "const fire = (time) => { while (timers.fire(time)); return log.splice(0).join(); };\n"
        "const set = (name, ms) => setTimeout(() => log.push(name), ms);\n"
        "const all = Array.from({ length: 1000 }, (_, i) => set(i, 5));\n"
        "const isOrdered = fire(12) === String(all.map((_, i) => i));\n"
        "const some = Array.from({ length: 12 }, (_, i) => set(i, 5 + i % 3));\n"
        "some[0].refresh(); clearTimeout(some[3]); some[6].refresh(); set('new', 5);\n"
        "clock = 8; set('later', 4);\n"
        "return [isOrdered, timers.due(), fire(11.999), fire(12), fire(14), timers.due()];";
    _cleanup_(free_p) char *own = NULL;
    _cleanup_(free_p) char *timers = NULL;
    _cleanup_(buf_done) struct buf code = buf_max(1 << 20);
    size_t len;

    T_EQ(fd_read_file("engine/own.js", 1 << 20, &own, &len), 0);
    T_EQ(fd_read_file("engine/timers.js", 1 << 20, &timers, &len), 0);
    buf_printf(&code, "const makeOwn = %s;\nconst makeTimers = %s;\n%s", own, timers, script);
    T_STR(play(buf_str(&code)), "= [true,12,\"\",\"9,0,6,new,later\",\"1,4,7,10,2,5,8,11\",-1]");
}

static void test_many_calls(void)
{
    int64_t start = clock_now_us();

    is_quiet = true;
    T_STR(play("const all = await Promise.all(Array.from({ length: 10000 }, (_, i) => "
               "tools.echo({ i }))); return all.every((r, i) => r.data.i === i)"),
          "= true");
    is_quiet = false;
    T_OK(clock_now_us() - start < 5000000);
    T_STR(play("for (let i = 0; i < 20; i++) tools.never({}); return 1"),
          "> 1 never {}\n> 2 never {}\n> 3 never {}\n> 4 never {}\n> 5 never {}\n> 6 never {}\n"
          "> 7 never {}\n> 8 never {}\n> 9 never {}\n> 10 never {}\n> 11 never {}\n"
          "> 12 never {}\n> 13 never {}\n> 14 never {}\n> 15 never {}\n> 16 never {}\nwaiting");
}

static const char catch_it[] =
    "async function t(f) { try { await f() } catch (e) { return [e.name, "
    "e.message, e.tool, e.effect, e instanceof Error] } }\n";

static const char *play_caught(const char *expression)
{
    static char code[2000];

    snprintf(code, sizeof(code), "%sreturn await t(() => %s)", catch_it, expression);
    play(code);
    return strstr(shared->text, "= ") != NULL ? strstr(shared->text, "= ") : shared->text;
}

static void test_call_errors(void)
{
    T_STR(play_caught("tools.refuse({})"),
          "= [\"ToolRefused\",\"not allowed\",\"refuse\",\"none\",true]");
    T_STR(play_caught("tools.lose({})"),
          "= [\"ToolFailed\",\"the server died\",\"lose\",\"possible\",true]");
    T_STR(play_caught("tools.late({})"),
          "= [\"CallTimeout\",\"no answer in 300 s\",\"late\",\"possible\",true]");
    T_STR(play_caught("tools.unsent({})"),
          "= [\"CallTimeout\",\"never sent\",\"unsent\",\"none\",true]");
    T_STR(play_caught("tools.large({})"),
          "= [\"ResultTooLarge\",\"past a third\",\"large\",\"done\",true]");
    T_STR(play_caught("tools.broken({})"),
          "= [\"ResultTooLarge\",\"the result is not JSON; the call took effect\",\"broken\","
          "\"done\",true]");
    T_STR(play_caught("tools.deep({})"),
          "= [\"ResultTooLarge\",\"the result is nested more than 2000 deep; the call took "
          "effect\",\"deep\",\"done\",true]");
    T_STR(play_caught("tools.ecko({})"),
          "= [\"UnknownTool\",\"there is no tool \\\"ecko\\\"; close names: \\\"echo\\\"\","
          "\"ecko\",\"none\",true]");
    T_STR(play_caught("tools.fs.readfile({})"),
          "= [\"UnknownTool\",\"there is no tool \\\"fs.readfile\\\"; close names: "
          "\\\"fs.read_file\\\"\",\"fs.readfile\",\"none\",true]");
    T_STR(play("async function go() {\n  await tools.refuse({});\n}\nawait go();"),
          "> 1 refuse {}\n! failed ToolRefused: not allowed\nframes [{\"function\":\"go\","
          "\"line\":2,\"column\":15},{\"function\":\"\",\"line\":4,\"column\":7}]");
}

/* Each bad argument, and what its message holds. */
static void test_arguments(void)
{
    static const char *const cases[][2] = {
        {"5", "must be an object, like { key: value }; this is a number"},
        {"null", "this is null"},
        {"[1]", "this is an array"},
        {"{ a: { b: [0, NaN] } }", "args.a.b[1] is NaN"},
        {"{ 'odd key': Infinity }", "args[\\\"odd key\\\"] is Infinity"},
        {"{ f() {} }", "args.f is a function"},
        {"{ s: Symbol('x') }", "args.s is a symbol"},
        {"{ n: 2n ** 64n + 1n }", "args.n is a BigInt that a double can't hold"},
        {"{ m: new Map() }", "args.m is a Map, which JSON can't hold; write Object.fromEntries"},
        {"{ m: new Set() }", "args.m is a Set, which JSON can't hold; write [...set]"},
        {"{ m: new Uint8Array(1) }", "args.m is a typed array"},
        {"{ m: Promise.resolve() }", "args.m is a Promise, which JSON can't hold; await it first"},
        {"{ d: new Date(NaN) }", "args.d is an invalid Date"},
        {"(() => { const c = {}; c.list = [c]; return c })()", "args.list[0] is part of itself"},
        {"{ a: Array(100000).fill(0) }",
         "RangeError\",\"the arguments of echo hold more than 100000"},
        {"{ a: 'x'.repeat(4194304) }", "are 4194312 bytes of JSON, more than 4194304"},
        {"{ a: 'é'.repeat(2097149) }", "are 4194306 bytes of JSON"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char code[300];

        snprintf(code, sizeof(code), "tools.echo(%s)", cases[i][0]);
        if (strstr(play_caught(code), cases[i][1]) == NULL || strstr(shared->text, "> ") != NULL) {
            T_STR(shared->text, cases[i][1]);
        }
    }
    T_STR(play("await tools.echo({ u: undefined, d: new Date(0), n: 5n, b: Object(7), "
               "l: [undefined, , null], j: { toJSON() { return { k: 1 } } }, z: -0 })"),
          "> 1 echo {\"d\":\"1970-01-01T00:00:00.000Z\",\"n\":5,\"b\":7,\"l\":[null,null,null],"
          "\"j\":{\"k\":1},\"z\"\n= ");
}

static void test_endings(void)
{
    T_STR(play("await new Promise(() => {})"),
          "! stalled : the script waits for a promise that nothing can settle: no call is out, no "
          "timer runs and nothing is queued; it waits at line 1, column 11\n"
          "frames [{\"function\":\"\",\"line\":1,\"column\":11}]");
    T_STR(
        play("queueMicrotask(() => { throw new Error('out') }); await tools.echo({})"),
        "> 1 echo {}\n! failed Error: out\nframes [{\"function\":\"\",\"line\":1,\"column\":34}]");
    T_STR(play("Promise.reject(new Error('lost')); return 1"),
          "= 1\nnotes "
          "[{\"note\":\"unhandled_rejection\",\"name\":\"Error\",\"message\":\"lost\",\"line\":1,"
          "\"column\":20}]");
    T_STR(play("const p = Promise.reject(1); await 0; p.catch(() => {}); return 1"), "= 1");
    T_STR(play("tools.refuse({}); return 1"),
          "> 1 refuse {}\n= 1\nnotes [{\"note\":\"not_awaited\",\"tool\":\"refuse\",\"call\":1,"
          "\"state\":\"ToolRefused\"}]");
    T_STR(play("for (let i = 0; i < 17; i++) tools.echo({}).then(() => tools.add({})); throw 1"),
          "> 1 echo {}\n> 2 echo {}\n> 3 echo {}\n> 4 echo {}\n> 5 echo {}\n> 6 echo {}\n"
          "> 7 echo {}\n> 8 echo {}\n> 9 echo {}\n> 10 echo {}\n> 11 echo {}\n> 12 echo {}\n"
          "> 13 echo {}\n> 14 echo {}\n> 15 echo {}\n> 16 echo {}\n! failed : 1");
}

/* A stop of a computing script, and that nothing of it reaches the host after. */
static void test_stop(void)
{
    static const char *const endless[] = {
        "for (;;) {}",
        "for (;;) { try { for (;;) {} } catch { text('caught') } finally { text('finally') } }",
        "for (;;) await 0",
        "const f = () => Promise.resolve().then(f); await f()",
        "Error.prepareStackTrace = () => { text('trace'); tools.echo({}) }; for (;;) {}",
        "function* g() { try { for (;;) yield 1 } finally { text('return'); tools.echo({}) } }\n"
        "for (const x of g()) {}",
        "Object.defineProperty(Error, 'stackTraceLimit', { get() { text('limit') } });\n"
        "async function a() { for (;;) {} }\nawait a().catch(() => text('no'));",
        "for (;;) { try { await (async () => { for (;;) {} })() } catch { text('no') } }",
        "/(a+)+$/.test('a'.repeat(40) + 'b')",
    };

    for (size_t i = 0; i < sizeof(endless) / sizeof(endless[0]); i++) {
        int status = play_bytes(bytes_str(endless[i]), 30);

        T_EQ(status, 0);
        T_STR(shared->text, "! stopped : ");
    }
    T_EQ(play_bytes(bytes_str("return { toJSON() { for (;;) {} } }"), 30), 0);
    T_STR(shared->text,
          "= \"The script returned a value, and was stopped before it could be read\"");
    T_EQ(play_bytes(
             bytes_str("const e = new Error('kept'); Object.defineProperty(e, 'stack', { get() "
                       "{ for (;;) {} } }); throw e"),
             30),
         0);
    T_STR(shared->text, "! failed Error: kept");
}

static void test_recursion(void)
{
    static const char deep[] =
        "let s = '['; for (let i = 0; i < 21; i++) s += s;\n"
        "function name(f) { try { f(); return 'fine' } catch (e) { return String(e) } }\n"
        "function r() { return r() + 1 }\n"
        "let p = {}; for (let i = 0; i < 200000; i++) p = new Proxy(p, {});\n"
        "const got = [r, () => JSON.parse(s), () => p.x, () => eval('('.repeat(100000)),\n"
        "() => eval('['.repeat(100000)),\n"
        "() => new Function('return ' + '!'.repeat(100000) + '1'), () => [r].toSorted(r, r()),\n"
        "() => /x/[Symbol.replace]('x', r)].map(name);\n"
        "return [s.length, new Set(got)]";

    T_STR(play(deep), "= [2097152,[\"RangeError: Maximum call stack size exceeded\"]]");
    T_OK(strncmp(play("function r() { return r() }\nr()"),
                 "! failed RangeError: Maximum call stack size exceeded", 50) == 0);
    T_STR(play("let i = [1].values(); for (let n = 0; n < 100000; n++) i = i.map((x) => x);\n"
               "i.next()"),
          "! trapped : call stack exhausted");
}

/* A script: before, n times c, after. The caller frees it. */
static char *repeat(const char *before, char c, size_t n, const char *after)
{
    size_t size = strlen(before) + n + strlen(after) + 1;
    char *text = calloc(size, 1);
    char *middle = text;

    if (text == NULL) {
        abort();
    }
    middle += snprintf(text, size, "%s", before);
    memset(middle, c, n);
    snprintf(middle + n, size - (size_t)(middle + n - text), "%s", after);
    return text;
}

static void test_deep_source(void)
{
    char *code = repeat("return ", '(', 100000, "");

    T_OK(strstr(play(code), "! failed RangeError: Maximum call stack size exceeded") != NULL);
    free(code);
    code = repeat("return '", 'x', 1000000, "'.length");
    T_STR(play(code), "= 1000000");
    free(code);
}

static void test_memory(void)
{
    static const char fill[] =
        "const shapes = { objects() { const a = []; for (;;) a.push({}) },\n"
        "nested() { const a = []; for (;;) a.push([[]]) }, fill() { const a = []; for (;;) "
        "a.push(new Array(10000).fill([])) },\nstrings() { const a = []; for (;;) "
        "a.push('x'.repeat(100000) + a.length) },\ntyped() { const a = []; for (;;) a.push(new "
        "Float64Array(10000)) },\nmap() { const m = new Map(); for (let i = 0;; i++) m.set(i, {}) "
        "},\n"
        "closures() { const a = []; for (;;) a.push(() => a) },\nkeys() { const o = {}; for (let i "
        "= "
        "0;; i++) o['k' + i] = i },\nerrors() { const a = []; for (;;) a.push(new Error('x')) },\n"
        "json() { const a = []; for (;;) a.push(JSON.parse('{\"a\":[1,{\"b\":2}]}')) },\n"
        "large() { return new ArrayBuffer(3e9) } };\n"
        "let bad = ''; for (const n in shapes) try { shapes[n]() } catch (e) { if (String(e) !== "
        "'InternalError: out of memory' && !(e instanceof RangeError && n === 'large')) bad += n + "
        "' ' "
        "+ e + ';' }\nconst r = await tools.echo({ n: 1 }); return [bad, r.data]";

    T_STR(play_in(4, fill), "> 1 echo {\"n\":1}\n= [\"\",{\"n\":1}]");
    T_STR(play_in(7, fill), "> 1 echo {\"n\":1}\n= [\"\",{\"n\":1}]");
    T_STR(play_in(32, fill), "> 1 echo {\"n\":1}\n= [\"\",{\"n\":1}]");
    T_OK(strstr(play_in(4, "const a = []; for (;;) a.push({})"),
                "! failed InternalError: out of memory") != NULL);
    T_OK(atomic_load(&shared->page.memory_peak_kib) > 3000);
    T_OK(atomic_load(&shared->page.memory_peak_kib) <= 4096);
    /* Cycles are garbage, and must be collected before the budget ends. */
    T_STR(play_in(4, "const live = 'x'.repeat(1300000) + 'y'; const more = 'z'.repeat(1300000);\n"
                     "for (let i = 0; i < 200000; i++) { const a = { i }; a.a = a }\n"
                     "return live.length + more.length"),
          "= 2600001");
}

static void test_no_room(void)
{
    /* Memory is full when the answer comes: the call is told apart, and can be made again. */
    T_STR(
        play_in(
            4,
            "const a = []; const p = tools.add({ x: 1 });\n"
            "try { for (;;) a.push('z'.repeat(1000) + a.length) } catch {}\n"
            "let how; try { await p; how = 'whole' } catch (e) { how = e.name + ' ' + e.effect }\n"
            "a.length = 0; await tools.add({}); return how"),
        "> 1 add {\"x\":1}\n> 2 add {}\n= \"ResultTooLarge done\"");
}

/* Every property of every built-in that can be reached is replaced by a getter that throws. */
static void test_hostile(void)
{
    T_STR(
        play(
            "const seen = new Set([globalThis]), queue = [globalThis], plans = [], S = String, E = "
            "Error;\nconst keep = new Set(['tools', 'text', 'console', 'ALL_TOOLS']);\n"
            "const own = Reflect.ownKeys, desc = Object.getOwnPropertyDescriptor;\n"
            "const def = Object.defineProperty, up = Object.getPrototypeOf;\n"
            "for (const f of [async () => 1, function* () {}, async function* () {}, "
            "[].values(), new Map().keys(), ''.matchAll(/x/g)]) queue.push(f);\n"
            "while (queue.length) { const o = queue.pop(); for (const k of own(o)) {\n"
            "if (o === globalThis && keep.has(k)) continue; const d = desc(o, k);\n"
            "for (const v of [d.value, d.get, d.set]) if (v !== null && (typeof v === 'object' || "
            "typeof v === 'function') && !seen.has(v)) { seen.add(v); queue.push(v) }\n"
            "plans.push([o, k, d]) } const p = up(o); if (p && !seen.has(p)) { seen.add(p); "
            "queue.push(p) } }\nlet n = 0; const L = plans.length;\n"
            "for (let i = 0; i < L; i++) { const [o, k, d] = [plans[i][0], plans[i][1], "
            "plans[i][2]]; plans[i] = { o, k, d } }\n"
            "for (let i = 0; i < L; i++) { const o = plans[i].o, k = plans[i].k;\n"
            "if (!plans[i].d.configurable || (o === E && k === 'stackTraceLimit')) continue;\n"
            "try { def(o, k, { get() { throw 'bomb' }, set() { throw 'bomb' }, configurable: true "
            "}); n++ } catch {} }\n"
            "const r = await tools.echo({ a: 1, list: [1, { b: 'x' }] });\n"
            "text('got', r.structuredContent.a, r.text); text({ a: [1, 2] });\n"
            "console.log('log', 5, true);\n"
            "try { await tools.refuse({}) } catch (e) { text(e.tool + ' ' + e.effect) }\n"
            "try { await tools.nope({}) } catch (e) { text(e.tool + ' ' + e.effect) }\n"
            "try { await tools.echo({ bad: 0 / 0 }) } catch (e) { text('refused') }\n"
            "return { ok: n > 1000 }"),
        "> 1 echo {\"a\":1,\"list\":[1,{\"b\":\"x\"}]}\n~ got 1 hello\n~ {\"a\":[1,2]}\n"
        "~ log 5 true\n> 2 refuse {}\n~ refuse none\n~ nope none\n~ refused\n= {\"ok\":true}");
    T_STR(
        play(
            "Object.defineProperty(Array.prototype, 0, { set() { throw 1 } });\n"
            "Promise.prototype.then = null; JSON.stringify = () => 'forged'; "
            "String.prototype.toWellFormed = () => 'forged'; Object.prototype.content = ['evil'];\n"
            "const r = await tools.bare({ a: 1 }); text(r.data); return r.data"),
        "> 1 bare {\"a\":1}\n~ { a: 1 }\n= {\"a\":1}");
}

static void test_console(void)
{
    T_STR(play("console.log('a', 1, { b: [1, 2], c: 'd' }, null)"),
          "~ a 1 { b: [ 1, 2 ], c: 'd' } null\n= ");
    T_STR(play("console.log('%s is %d, %j', 'x', 4.5, { a: 1 }, 'more')"),
          "~ x is 4.5, {\"a\":1} more\n= ");
    T_STR(play("console.log([undefined, -0, 5n, Symbol('q'), () => 1, class A {}, new Map([[1, "
               "2]])])"),
          "~ [\n  undefined,\n  -0,\n  5n,\n  Symbol(q),\n  [Function (anonymous)],\n  [class A],\n"
          "  Map(1) { 1 => 2 }\n]\n= ");
    T_STR(play("console.log(Array.from({ length: 10 }, (_, i) => i))"),
          "~ [\n  0, 1, 2, 3, 4,\n  5, 6, 7, 8, 9\n]\n= ");
    T_STR(play("const o = { a: 1 }; o.me = o; console.log(o, [[[[1]]]])"),
          "~ <ref *1> { a: 1, me: [Circular *1] } [ [ [ [Array] ] ] ]\n= ");
    T_STR(play("console.error(new TypeError('shown'))"),
          "~ TypeError: shown\n    at <script>:1:19\n= ");
    T_STR(play("text('a\\ud800b', { long: 'x'.repeat(80) }, [1])"),
          "~ a\xef\xbf\xbd"
          "b {\n  \"long\": "
          "\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
          "xxxx\"\n} [1]\n= ");
}

static void test_isolation(void)
{
    char first[64];

    snprintf(first, sizeof(first), "%s", play("return Math.random()"));
    T_OK(strcmp(first, play("return Math.random()")) != 0);
    T_OK(strncmp(first, "= 0.", 4) == 0);
    T_STR(play("globalThis.left = 1"), "= ");
    T_STR(play("return typeof left"), "= \"undefined\"");
    T_STR(play("return performance.now() < 1000"), "= true");
    T_STR(play("return Math.abs(Date.now() - 1e12) > 1e9 && new Date().getTimezoneOffset() === 0"),
          "= true");
}

static void poke_guest(void *arg)
{
    (void)arg;
    *(volatile uint8_t *)rt_ptr(0xfffff000u) = 1;
}

static void poke_native(void *arg)
{
    *(volatile uint8_t *)arg = 1;
}

static int poke(void (*run)(void *arg))
{
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
        bool is_fine;

        alarm(10);
        if (engine_ready(&shared->page) < 0) {
            _exit(9);
        }
        is_fine = rt_enter(run, NULL);
        _exit(is_fine ? 1 : strcmp(rt_trap_name(), "memory access out of bounds") == 0 ? 0 : 2);
    }
    waitpid(child, &status, 0);
    return status;
}

/* A fault of the guest's is a trap; one of our own kills by its signal. */
static void test_faults(void)
{
    int status = poke(poke_guest);

    T_OK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    status = poke(poke_native);
    T_OK(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
}

static void test_prefault(void)
{
    play("await tools.echo({ a: 1 })");
    T_OK(shared->faults_to_call > 0 && shared->faults_to_call < 60);
}

int main(void)
{
    if (play_init() < 0) {
        fprintf(stderr, "engine: cannot start\n");
        return 1;
    }
    test_values();
    test_oversize();
    test_errors();
    test_syntax();
    test_absent();
    test_calls();
    test_timers();
    test_timer_order();
    test_many_calls();
    test_call_errors();
    test_arguments();
    test_endings();
    test_stop();
    test_recursion();
    test_deep_source();
    test_memory();
    test_no_room();
    test_hostile();
    test_console();
    test_isolation();
    test_faults();
    test_prefault();
    return T_DONE("engine");
}
