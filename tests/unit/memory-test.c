/* SPDX-License-Identifier: MIT
 *
 * Memory that runs out, in every shape that we could think of: the script catches a real
 * InternalError: out of memory, twice in a row, lets go of what it held, and works on.
 */
#include "engine-play.h"
#include "t.h"

enum { CODE_BYTES = 4000 };

/* Each body runs until there is no memory. */
static const char *const shapes[][2] = {
    {"strings", "const a = []; for (;;) a.push(\"x\".repeat(1000) + a.length);"},
    {"largeStrings", "const a = []; for (;;) a.push(\"x\".repeat(100000) + a.length);"},
    {"wideStrings", "const a = []; for (;;) a.push(\"\\u4e2d\".repeat(10000) + a.length);"},
    {"ropeSlow", "let s = \"start\"; const keep = []; for (;;) { s += \"line \" + keep.length; "
                 "keep.push(s); }"},
    {"concat",
     "let s = \"x\".repeat(1000); const a = []; for (;;) { a.push(s.concat(s, a.length)); }"},
    {"join",
     "const a = []; for (;;) { a.push(Array(500).fill(\"word\" + a.length).join(\" \")); }"},
    {"split", "const a = []; for (;;) a.push(\"a,b,c,d\".split(\",\"));"},
    {"objects", "const a = []; for (;;) a.push({});"},
    {"members", "const o = {}; for (let i = 0; ; i++) o[\"k\" + i] = i;"},
    {"wide", "const a = []; for (;;) a.push({ a: 1, b: 2, c: { d: [1, 2] } });"},
    {"chain", "let o = null; for (;;) o = { o };"},
    {"nested", "const a = []; for (;;) a.push([[]]);"},
    {"matrix", "const a = []; for (;;) a.push(new Array(1000).fill([]));"},
    {"matrix2", "const a = []; for (;;) a.push(Array.from({ length: 100 }, () => [1, 2, 3]));"},
    {"sparse", "const a = []; for (let i = 0; ; i += 1000) a[i] = i;"},
    {"grow", "const a = []; for (;;) a.push(1.5);"},
    {"unshift", "let a = [1]; for (;;) a = a.concat(a);"},
    {"typed", "const a = []; for (;;) a.push(new Float64Array(1000));"},
    {"buffers", "const a = []; for (;;) a.push(new ArrayBuffer(100000));"},
    {"growing", "const b = new ArrayBuffer(0, { maxByteLength: 1e9 }); for (let n = 1; ; n += "
                "100000) { b.resize(n); }"},
    {"map", "const m = new Map(); for (let i = 0; ; i++) m.set(i, {});"},
    {"set", "const s = new Set(); for (let i = 0; ; i++) s.add(\"s\" + i);"},
    {"weakMap",
     "const m = new WeakMap(), k = []; for (;;) { const o = {}; k.push(o); m.set(o, {}); }"},
    {"weakRef", "const k = []; for (;;) k.push(new WeakRef({}));"},
    {"symbols", "const k = []; for (;;) k.push(Symbol(\"s\" + k.length));"},
    {"closures", "const a = []; for (;;) { const x = a.length; a.push(() => x + a.length); }"},
    {"classes",
     "const a = []; for (;;) a.push(class { m() { return 1; } static s = 1; #p = 2; });"},
    {"bound", "const a = []; for (;;) a.push(Math.max.bind(null, 1, a.length));"},
    {"generators",
     "const a = []; for (;;) { const g = (function* () { yield 1; })(); g.next(); a.push(g); }"},
    {"promises", "const a = []; for (;;) a.push(new Promise(() => {}));"},
    {"errors", "const a = []; for (;;) a.push(new Error(\"x\" + a.length));"},
    {"thrown", "const a = []; for (;;) { try { null.x; } catch (e) { a.push(e); } }"},
    {"dates", "const a = []; for (;;) a.push(new Date(a.length));"},
    {"parse", "const a = []; for (;;) a.push(JSON.parse('{\"a\":[1,{\"b\":2}],\"c\":\"text\"}'));"},
    {"parseLarge", "const t = \"[\" + \"[1,2],\".repeat(20000) + \"1]\"; const a = []; for (;;) "
                   "a.push(JSON.parse(t));"},
    {"stringify", "const a = []; const v = { a: Array(100).fill(\"word\") }; for (;;) "
                  "a.push(JSON.stringify(v));"},
    {"stringifyLarge", "let v = [\"x\".repeat(1000)]; for (;;) { JSON.stringify(v); v = [v, v]; }"},
    {"regexps", "const a = []; for (;;) a.push(new RegExp(\"a{1,3}b\" + a.length));"},
    {"matches", "const a = []; for (;;) a.push(\"key=value\".match(/(?<k>\\w+)=(?<v>\\w+)/));"},
    {"matchAll",
     "const t = \"ab \".repeat(1000); const a = []; for (;;) a.push([...t.matchAll(/\\w+/g)]);"},
    {"replace", "let t = \"a\"; for (;;) t = t.replace(/a/g, \"aab\");"},
    {"bigints", "const a = []; for (;;) a.push(2n ** 10000n + BigInt(a.length));"},
    {"templates", "const a = []; const f = (s) => s.slice(); for (;;) a.push(f`a${1}b`);"},
    {"proxies", "const a = []; for (;;) a.push(new Proxy({}, {}));"},
    {"spread", "let a = [1, 2, 3]; for (;;) a = [...a, ...a];"},
    {"spreadObject", "const a = []; const o = { a: 1, b: 2, c: 3 }; for (;;) a.push({ ...o, [\"k\" "
                     "+ a.length]: 1 });"},
    {"spreadCall", "const a = []; for (;;) { a.push(a.length); if (a.length % 1000 === 0) "
                   "a.push(Array.of(...a.slice(0, 500))); }"},
    {"destructure", "const a = []; for (;;) { const [x, ...rest] = [1, 2, 3, 4]; a.push(rest); }"},
    {"functions",
     "const a = []; for (;;) a.push(new Function(\"a\", \"return a + \" + a.length));"},
    {"iterators", "const a = []; for (;;) a.push([1].values().map((x) => x));"},
    {"arrayFrom", "Array.from({ length: 1e9 }, (_, i) => ({ i }));"},
    {"fill", "const a = []; for (;;) a.push(new Array(100000).fill(0));"},
    {"sort",
     "const a = []; for (;;) a.push(Array.from({ length: 1000 }, (_, i) => 1000 - i).toSorted());"},
    {"flat", "const a = []; for (;;) a.push([[1, 2], [3, [4]]].flat(Infinity));"},
    {"groupBy", "const a = []; for (;;) a.push(Object.groupBy([1, 2, 3], (x) => \"k\" + x % 2));"},
    {"entries", "const o = { a: 1, b: 2 }; const a = []; for (;;) "
                "a.push(Object.fromEntries(Object.entries(o)));"},
    {"accessors", "const a = []; for (;;) a.push({ get x() { return 1; }, set x(v) {} });"},
    {"defines",
     "const a = []; for (;;) a.push(Object.defineProperty({}, \"k\" + a.length, { value: 1 }));"},
    {"registry", "const r = new FinalizationRegistry(() => {}), k = []; for (;;) { const o = {}; "
                 "k.push(o); r.register(o, 1); }"},
    {"args", "const a = []; function f() { return arguments; } for (;;) a.push(f(1, 2, 3));"},
};

/* Those that also run at 128 MiB: another engine path, or quick. */
static const char *const larger[] = {"largeStrings", "objects", "matrix", "buffers", "thrown",
                                     "closures",     "fill",    "map",    "bigints"};

static const char *play_shape(uint32_t mib, const char *const shape[2])
{
    static char code[CODE_BYTES];

    snprintf(code, sizeof(code),
             "function fill() { %s }\nlet bad = '';\n"
             "for (let i = 0; i < 2; i++) {\n  let got;\n"
             "  try { fill() } catch (error) { got = error }\n"
             "  if (!(got instanceof Error && got instanceof InternalError && got.name === "
             "'InternalError' && got.message === 'out of memory'))\n"
             "    bad += (got === null ? 'a bare null' : String(got)) + '; ';\n}\n"
             "if (bad !== '') return bad;\nconst r = await tools.echo({ n: 1 });\n"
             "return [r.data.n, 'z'.repeat(500000).length]",
             shape[1]);
    return play_in(mib, code);
}

static void test_shapes(void)
{
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        const char *have = play_shape(4, shapes[i]);
        uint32_t peak_kib = atomic_load(&shared->page.memory_peak_kib);

        t_report(strcmp(have, "> 1 echo {\"n\":1}\n= [1,500000]") == 0, __FILE__, __LINE__,
                 shapes[i][0]);
        if (strcmp(have, "> 1 echo {\"n\":1}\n= [1,500000]") != 0) {
            fprintf(stderr, "  have %.1000s\n", have);
        }
        T_OK(peak_kib > 2000 && peak_kib <= 4096);
    }
}

static void test_larger(void)
{
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        for (size_t j = 0; j < sizeof(larger) / sizeof(larger[0]); j++) {
            if (strcmp(shapes[i][0], larger[j]) == 0) {
                T_STR(play_shape(128, shapes[i]), "> 1 echo {\"n\":1}\n= [1,500000]");
            }
        }
    }
}

/* Bounds of the engine's that come before memory: errors that say what they are. */
static void test_other_bounds(void)
{
    T_STR(
        play_in(128, "try { let s = 'ab'; for (;;) s += s + 'c' } catch (e) { return String(e) }"),
        "= \"InternalError: string too long\"");
    T_STR(play_in(128, "try { let n = 3n; for (;;) n = n * n } catch (e) { return String(e) }"),
          "= \"RangeError: BigInt is too large to allocate\"");
    T_STR(play_in(4, "try { new ArrayBuffer(3e9) } catch (e) { return e.name }"),
          "= \"RangeError\"");
}

/* The largest memory: 2,047 strings of 1 MiB at most, and then the same. */
static void test_largest(void)
{
    T_STR(play_in(2048, "const held = []; let got; try { for (;;) held.push('x'.repeat(1048576) + "
                        "held.length) } catch (e) { got = String(e) }\n"
                        "const n = held.length; held.length = 100;\n"
                        "const r = await tools.add({}); return [got, n > 1900 && n < 2048, "
                        "'y'.repeat(3e7).length, r.content.length]"),
          "> 1 add {}\n= [\"InternalError: out of memory\",true,30000000,1]");
}

/* Errors are hoarded until not even one more can be made: then one of before is thrown. */
static void test_hoarded_errors(void)
{
    T_STR(play_in(4, "const all = []; let held = []; let bad = 0;\n"
                     "try { for (;;) held.push({}) } catch (e) { all.push(e) }\n"
                     "for (let i = 0; i < 100000; i++) try { held.push('x'.repeat(40000)) } catch "
                     "(e) { if (!(e instanceof InternalError && e.message === 'out of memory')) "
                     "bad++; if (i < 5000) try { all.push(e) } catch (f) { if (f === null) bad++ } "
                     "}\nheld = null; return [bad, all.length > 100]"),
          "= [0,true]");
    play_in(4, "const f = async () => { await new Promise(() => {}) }; const a = [];\n"
               "let got; try { for (;;) a.push(f()) } catch (e) { got = e }\n"
               "a.length = 0; return String(got)");
    T_OK(strncmp(shared->text, "= \"InternalError: out of memory\"", 32) == 0);
    T_OK(strstr(shared->text, "\"message\":\"null\"") == NULL);
    T_STR(play_in(4, "const a = []; const name = 'n'.repeat(300000);\n"
                     "const o = { [name]() { for (;;) a.push({}) } };\n"
                     "try { o[name]() } catch (e) { return String(e) }"),
          "= \"InternalError: out of memory\"");
    /* Small things may use up the headroom, but not what an error with its frames takes. */
    play_in(4, "const a = []; try { for (;;) a.push({}) } catch {}\nlet b = null;\n"
               "for (;;) b = { b };");
    T_STR(shared->text, "! failed InternalError: out of memory\n"
                        "frames [{\"function\":\"\",\"line\":3,\"column\":10}]");
}

/* Memory is full when the answer comes: it is told apart, and what follows works. */
static void test_full_at_answer(void)
{
    T_STR(play_in(4, "const a = []; const p = tools.add({ x: 1 });\n"
                     "try { for (;;) a.push('z'.repeat(1000) + a.length) } catch {}\n"
                     "let how; try { await p; how = 'whole' } catch (e) { how = e.name + ' ' + "
                     "e.effect + ' ' + (e instanceof Error) + ' ' + e.message }\n"
                     "a.length = 0; await tools.add({}); return how"),
          "> 1 add {\"x\":1}\n> 2 add {}\n= \"ResultTooLarge done true the script had no memory "
          "to take the result of 65535 bytes; the call took effect\"");
    T_STR(play_in(4, "const a = []; const p = tools.refuse({ x: 1 });\n"
                     "try { for (;;) a.push({}) } catch {}\n"
                     "let how; try { await p } catch (e) { how = e.name + ' ' + e.message }\n"
                     "a.length = 0; return how"),
          "> 1 refuse {\"x\":1}\n= \"ToolRefused not allowed\"");
    /* Cycles hold what an answer needs, too few for the collector to have come by itself: it
     * comes for the answer. */
    T_STR(play_in(4, "const live = 'y'.repeat(3815000); for (let i = 0; i < 3000; i++) ({});\n"
                     "(() => { const o = { s: 'z'.repeat(70000) }; o.o = o })();\n"
                     "const r = await tools.add({}); return [r.content.length, live.length]"),
          "> 1 add {}\n= [1,3815000]");
    /* Memory is lent to a value that is read, so that a full script still has one. */
    play_in(4, "const s = 'x'.repeat(300000); const a = globalThis.held = [];\n"
               "try { for (;;) a.push({}) } catch {}\nreturn s");
    T_OK(strncmp(shared->text, "= \"xxxx", 7) == 0);
    /* The headroom is for errors and small things: it lends no large block. */
    T_STR(play_in(4, "const a = []; try { for (;;) a.push({}) } catch {}\n"
                     "let got; try { got = 'x'.repeat(100000).length } catch (e) { got = String(e) "
                     "}\na.length = 0; return got"),
          "= \"InternalError: out of memory\"");
}

int main(void)
{
    if (play_init() < 0) {
        return 1;
    }
    test_shapes();
    test_larger();
    test_other_bounds();
    test_largest();
    test_hoarded_errors();
    test_full_at_answer();
    return T_DONE("memory");
}
