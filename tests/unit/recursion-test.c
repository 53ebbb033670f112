/* SPDX-License-Identifier: MIT
 *
 * Recursions: a catchable RangeError in every one that QuickJS checks, or it simply works; where
 * nothing is checked, a clean trap. The script goes on after each.
 */
#include "engine-play.h"
#include "t.h"

enum { CODE_BYTES = 4000 };

/* Each runs alone; what it gives is "fine" or the name of what it throws. */
static const char *const checked[][2] = {
    {"function", "function f() { return f() + 1 } f()"},
    {"arrow", "const f = () => f(); f()"},
    {"mutual", "function a() { b() } function b() { a() } a()"},
    {"method", "({ m() { this.m() } }).m()"},
    {"getter", "({ get x() { return this.x } }).x"},
    {"setter", "({ set x(v) { this.x = v } }).x = 1"},
    {"toString", "const o = { toString() { return '' + this } }; '' + o"},
    {"valueOf", "const o = { valueOf() { return +this } }; +o"},
    {"toPrimitive", "const o = { [Symbol.toPrimitive]() { return `${this}` } }; `${o}`"},
    {"constructor", "class A { constructor() { new A() } } new A()"},
    {"super", "class A { constructor() { new B() } } class B extends A {} new B()"},
    {"static block", "function f() { class A { static { f() } } } f()"},
    {"field", "class A { x = new A() } new A()"},
    {"apply", "function f() { f.apply(null, []) } f()"},
    {"bind", "let f = () => 1; for (let i = 0; i < 50000; i++) { f = f.bind(null); "
             "Object.defineProperty(f, 'name', { value: '' }) } f()"},
    {"Reflect.construct", "function F() { Reflect.construct(F, []) } new F()"},
    {"eval", "globalThis.r = () => (0, eval)('r()'); r()"},
    {"generator", "function* g() { yield* g() } g().next()"},
    {"async", "const f = async () => { await f() }; await f()"},
    {"destructuring", "const o = { get a() { const { a } = this; return a } }; o.a"},
    {"default", "function f(x = f()) {} f()"},
    {"spread", "const o = { [Symbol.iterator]() { return [...this] } }; [...o]"},
    {"template", "const f = () => `${f()}`; f()"},
    {"tag", "const f = (s) => f`x`; f`x`"},
    {"sort", "const f = () => [2, 1].sort(f); f()"},
    {"map", "const f = () => [1].map(f); f()"},
    {"reduce", "const f = () => [1, 2].reduce(f); f()"},
    {"forEach of a Map", "const m = new Map([[1, 1]]); const f = () => m.forEach(f); f()"},
    {"replace", "const f = () => 'x'.replace('x', f); f()"},
    {"replace by a pattern", "const f = () => 'x'.replace(/x/, f); f()"},
    {"flat", "let a = []; for (let i = 0; i < 50000; i++) a = [a]; a.flat(Infinity)"},
    {"join", "let a = []; for (let i = 0; i < 50000; i++) a = [a]; a.join()"},
    {"JSON.parse", "JSON.parse('['.repeat(2000000))"},
    {"JSON.parse of objects", "JSON.parse('{\"a\":'.repeat(400000))"},
    {"JSON.stringify", "let a = []; for (let i = 0; i < 200000; i++) a = [a]; JSON.stringify(a)"},
    {"toJSON", "const o = { toJSON() { return JSON.stringify(this) } }; JSON.stringify(o)"},
    {"reviver", "const f = () => JSON.parse('[1]', f); f()"},
    {"proxy chain", "let p = {}; for (let i = 0; i < 200000; i++) p = new Proxy(p, {}); p.x"},
    {"proxy of itself", "const p = new Proxy({}, { get: (o, k) => p[k] }); p.x"},
    {"prototype chain",
     "let o = {}; for (let i = 0; i < 200000; i++) o = Object.create(o); o.x; 'x' in o"},
    {"proxy as prototype", "const o = {}; Object.setPrototypeOf(o, new Proxy({}, { get: (t, k, r) "
                           "=> r[k] })); o.x"},
    {"instanceof",
     "const o = { [Symbol.hasInstance]() { return 1 instanceof o } }; 1 instanceof o"},
    {"source: parentheses", "eval('('.repeat(100000))"},
    {"source: brackets", "eval('['.repeat(100000))"},
    {"source: braces", "eval('{'.repeat(100000))"},
    {"source: unary", "eval('!'.repeat(100000) + '1')"},
    {"source: arrows", "eval('a=>'.repeat(100000) + '1')"},
    {"source: functions", "eval('function f(){'.repeat(2000) + '}'.repeat(2000))"},
    {"source: classes", "eval('(class{static{'.repeat(5000))"},
    {"source: templates", "eval('`${'.repeat(50000))"},
    {"source: conditions", "eval('1?'.repeat(100000))"},
    {"source: powers", "eval('2**'.repeat(100000) + '1')"},
    {"source: else if", "eval('if(0);else '.repeat(50000) + ';')"},
    {"pattern: groups", "new RegExp('('.repeat(200) + ')'.repeat(200))"},
    {"pattern: backtracking", "/^(?:a|b)*c/.test('ab'.repeat(500000))"},
    {"error's cause", "let e = new Error('x'); for (let i = 0; i < 100000; i++) e = new Error('y', "
                      "{ cause: e }); console.log(e)"},
    {"console of a deep object", "let o = {}; for (let i = 0; i < 100000; i++) o = { o }; "
                                 "console.log(o)"},
    {"text of a deep object", "let o = {}; for (let i = 0; i < 20000; i++) o = { o }; text(o)"},
    {"a deep argument", "let o = {}; for (let i = 0; i < 100000; i++) o = { o }; "
                        "await tools.add({ o })"},
    {"release of a long chain",
     "let o = null; for (let i = 0; i < 500000; i++) o = { o }; o = null"},
    {"promise chain", "let p = Promise.resolve(1); for (let i = 0; i < 50000; i++) p = p.then((x) "
                      "=> x); await p"},
    {"thenable of itself", "let n = 0; const o = { then(f) { if (n++ < 50000) f(o); else f(1) } }; "
                           "await o"},
    {"prepareStackTrace", "Error.prepareStackTrace = () => { new Error('x').stack; return null.x };"
                          " new Error('y').stack"},
    {"stack getter", "const e = new Error('x'); Object.defineProperty(e, 'message', { get() { "
                     "return this.stack } }); e.stack"},
};

static void test_checked(void)
{
    static char code[CODE_BYTES];

    for (size_t i = 0; i < sizeof(checked) / sizeof(checked[0]); i++) {
        const char *have;

        snprintf(code, sizeof(code),
                 "let how = 'fine'; try { await (async () => { %s\n})() } catch (e) { how = e "
                 "instanceof RangeError && e.message === 'Maximum call stack size exceeded' ? "
                 "'fine' : String(e) + ' ' + e.stack }\n"
                 "await tools.bare({}); return how",
                 checked[i][1]);
        play(code);
        have = strstr(shared->text, "\n= ");
        t_report(have != NULL && strncmp(have, "\n= \"fine\"", 9) == 0, __FILE__, __LINE__,
                 checked[i][0]);
        if (have == NULL || strncmp(have, "\n= \"fine\"", 9) != 0) {
            fprintf(stderr, "  have %.300s\n", have == NULL ? shared->text : have);
        }
    }
}

/* Some must overflow: that they merely work would say that the bound is gone. */
static void test_overflows(void)
{
    static const char *const endless[] = {
        "function f() { return f() + 1 } f()",
        "({ get x() { return this.x } }).x",
        "JSON.parse('['.repeat(2000000))",
        "const p = new Proxy({}, { get: (o, k) => p[k] }); p.x",
        "eval('('.repeat(100000))",
        "function* g() { yield* g() } g().next()",
    };
    static char code[CODE_BYTES];

    for (size_t i = 0; i < sizeof(endless) / sizeof(endless[0]); i++) {
        snprintf(code, sizeof(code), "try { %s } catch (e) { return String(e) }", endless[i]);
        T_STR(play(code), "= \"RangeError: Maximum call stack size exceeded\"");
    }
}

/* Where QuickJS checks nothing, the floor of the shadow stack is what stops it. */
static void test_unchecked(void)
{
    T_STR(play("let i = [1].values(); for (let n = 0; n < 100000; n++) i = i.map((x) => x);\n"
               "i.next()"),
          "! trapped : call stack exhausted");
    /* A pattern's compiler has an error of its own for it. */
    T_STR(play("try { new RegExp('(?='.repeat(50000) + ')'.repeat(50000)) } catch (e) { "
               "return String(e) }"),
          "= \"SyntaxError: stack overflow\"");
}

int main(void)
{
    if (play_init() < 0) {
        return 1;
    }
    test_checked();
    test_overflows();
    test_unchecked();
    return T_DONE("recursion");
}
