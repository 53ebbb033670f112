/* SPDX-License-Identifier: MIT
 *
 * Stops: whatever a script does when one comes, it ends at once, nothing of it reaches the host
 * any more, and an ending that it had reached before is kept, less what was not read.
 *
 * No time is asserted: what would not end is killed by its alarm.
 */
#include "engine-play.h"
#include "t.h"

enum { STOP_MS = 30 };

#define UNREAD "= \"The script returned a value, and was stopped before it could be read\""

static const char *play_stopped(const char *code)
{
    int status = play_bytes(bytes_str(code), STOP_MS);

    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        snprintf(shared->text, sizeof(shared->text), "child ended with status %d: %.500s", status,
                 code);
    }
    return shared->text;
}

static void check(const char *have, const char *want, const char *code)
{
    t_report(strcmp(have, want) == 0, __FILE__, __LINE__, code);
    if (strcmp(have, want) != 0) {
        fprintf(stderr, "  have \"%s\"\n", have);
    }
}

/* Loops of the script's, which try to live on or to reach the host while they are ended. */
static void test_loops(void)
{
    static const char *const endless[] = {
        "for (;;) { try { for (;;) {} } catch { text('caught') } finally { text('finally') } }",
        "for (;;) await 0",
        "async function* g() { try { for (;;) yield 1 } finally { text('return') } }\n"
        "for await (const x of g()) {}",
        "Error.prepareStackTrace = () => { text('trace'); tools.echo({}); return '' };\n"
        "for (;;) { try { null.x } catch (e) { e.stack } if (0) break }",
        "Error.stackTraceLimit = { valueOf() { for (;;) try { for (;;) {} } finally { text('v'); "
        "tools.echo({}) } } };\nnew Error('x')",
        "Error.stackTraceLimit = { valueOf() { text('limit'); tools.echo({}); return 1 } };\n"
        "for (;;) { try { null.x } catch {} if (0) break }",
        "const it = { [Symbol.iterator]() { return this }, next() { return { done: false } }, "
        "return() { text('return'); tools.echo({}); for (;;) {} } };\n"
        "for (const x of it) {}",
        "class A extends Promise { then(f, g) { text('then'); return super.then(f, g) } }\n"
        "(async () => { for (;;) {} })().finally(() => text('finally'));",
        "Promise.resolve().then(() => { for (;;) {} }).catch(() => text('caught'));\n"
        "await new Promise(() => {})",
        "queueMicrotask(() => { text('job'); tools.echo({}) }); for (;;) {}",
        "new FinalizationRegistry(() => text('registry')).register({}, 1); for (;;) {}",
        "const o = { get x() { for (;;) {} } };\n"
        "try { await tools.echo(o) } catch { text('x') } finally { text('y') }",
        "const o = { toJSON() { for (;;) {} } }; try { text(o) } catch { text('x') }",
        "eval('for (;;) try { for (;;) {} } finally { text(1) }')",
        "new Function('for (;;) {}')()",
        "const p = new Proxy({}, { get() { for (;;) {} } }); try { p.x } finally { text('no') }",
        "const d = { [Symbol.dispose]() { text('dispose') } }; for (;;) {}",
        "try { await new Promise(() => { for (;;) {} }) } finally { tools.echo({}) }",
        "async function f() { try { await f() } catch {} finally { await f() } }\nawait f()",
    };

    for (size_t i = 0; i < sizeof(endless) / sizeof(endless[0]); i++) {
        const char *have = play_stopped(endless[i]);

        if (strncmp(have, "~ then\n", 7) == 0) {
            have += 7; /* before the stop */
        }
        if (strncmp(endless[i], "Error.p", 7) == 0 || strncmp(endless[i], "Error.s", 7) == 0) {
            T_OK(strstr(have, "! stopped : ") != NULL);
            continue; /* these write and call before the stop */
        }
        check(have, "! stopped : ", endless[i]);
    }
}

/* The engine's own loops, which ask no interrupt handler. Each would take minutes or more. */
static void test_native_loops(void)
{
    static const char *const slow[] = {
        "'a'.repeat(30e6).indexOf('a'.repeat(15e6) + 'b')",
        "'a'.repeat(30e6).lastIndexOf('b' + 'a'.repeat(15e6))",
        "/(a+)+$/.test('a'.repeat(40) + 'b')",
        "/^(?:(?:a|aa)+)+b/.exec('a'.repeat(80))",
        "Array(2 ** 31).join()",
        "Array.prototype.includes.call({ length: 2 ** 53 - 1 }, 1)",
        "Array.prototype.reverse.call({ length: 2 ** 53 - 1 })",
        "Array.prototype.lastIndexOf.call({ length: 2 ** 53 - 1 }, 1)",
        "Array.prototype.copyWithin.call({ length: 2 ** 53 - 1 }, 0, 1)",
        "Array.prototype.splice.call({ length: 2 ** 53 - 1 }, 0, 1)",
        "Array.from({ length: 2 ** 32 - 1 }).length",
        "Reflect.ownKeys(new Proxy({}, { ownKeys: () => new Proxy({ length: 2 ** 31 }, { get: (o, "
        "k) => k === 'length' ? o.length : k }) }))",
        "JSON.stringify(Array(2 ** 31))",
        "let b = 7n ** 300000n; for (;;) (b * b).toString().length",
        "let s = []; for (let i = 0; i < 24; i++) s = [s, s]; JSON.stringify(s); s.flat(Infinity);"
        "for (;;) JSON.stringify(s)",
        "const a = []; for (let i = 0; i < 300000; i++) a.push('k' + (i * 7919) % 300007);\n"
        "for (;;) a.slice().sort()",
        "const f = new Float64Array(4e6); for (;;) { f.sort(); f.reverse(); f[0] = 9 }",
        "for (;;) 'ab'.repeat(1e6).split('').join('-').replaceAll('-', '+')",
        "for (;;) JSON.parse('[' + '1,'.repeat(300000) + '1]')",
        "for (;;) encodeURIComponent('\\u00e9'.repeat(300000))",
        "Math.max(...(function* () { for (;;) yield 1 })().take(1e9))",
        "Object.groupBy({ [Symbol.iterator]: () => ({ next: () => ({ done: false }) }) }, () => 1)",
        "let j = {}; for (let i = 0; i < 1000; i++) j = { j, k: [j] }; JSON.stringify(j)",
    };

    for (size_t i = 0; i < sizeof(slow) / sizeof(slow[0]); i++) {
        check(play_stopped(slow[i]), "! stopped : ", slow[i]);
    }
}

/* The host's stop arrives with what it reads: nothing after that goes out. */
static void test_nothing_after(void)
{
    static const char *const ways[] = {
        "text('stop!'); text('more'); tools.echo({}); return 1",
        "text('stop!'); for (;;) text('more')",
        "try { text('stop!') } finally { text('more'); tools.echo({}) }",
        "queueMicrotask(() => text('more')); text('stop!'); await 0; text('x')",
        "[...Array(40)].forEach(() => tools.never({}).finally(() => text('x'))); text('stop!')",
        "console.log('stop!'); console.log('more'); throw new Error('x')",
        "text('stop!'); return { toJSON() { text('x') } }",
        "await Promise.all([1, 2].map(async () => { text('stop!'); await tools.echo({}) }))",
        "await tools.echo({ get a() { text('stop!'); return 1 }, get b() { text('x') } })",
    };

    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        const char *have = play(ways[i]);
        const char *from = strstr(have, "~ stop!\n");

        T_STR(from == NULL ? have : from, "~ stop!\n! stopped : ");
    }
}

/* An ending that was reached is kept, less what was not read of it. */
static void test_while_reading(void)
{
    static const char *const ways[][2] = {
        {"return { toJSON() { for (;;) {} } }", UNREAD},
        {"return { toJSON() { text('no'); tools.echo({}); queueMicrotask(() => text('no')); "
         "for (;;) try { for (;;) {} } finally { text('no') } } }",
         UNREAD},
        {"return { get a() { for (;;) {} } }", UNREAD},
        {"return new Proxy({}, { ownKeys() { for (;;) {} } })", UNREAD},
        {"const m = new Map(); m.set('a', { toJSON() { for (;;) {} } }); return m", UNREAD},
        {"return { n: 1n, toJSON() { for (;;) {} } }", UNREAD},
        {"let s = []; for (let i = 0; i < 24; i++) s = [s, s]; return s", UNREAD},
        {"const e = new Error('m'); Object.defineProperty(e, 'name', { get() { for (;;) {} } }); "
         "throw e",
         "! failed : the script threw an error that could not be read"},
        {"const e = new TypeError('m'); Object.defineProperty(e, 'message', { get() { for (;;) {} "
         "} }); throw e",
         "! failed TypeError: "},
        {"const e = new TypeError('m'); e.message = { toString() { text('no'); for (;;) {} } }; "
         "throw e",
         "! failed TypeError: "},
        {"const e = new TypeError('kept'); Object.defineProperty(e, 'stack', { get() { "
         "tools.echo({}); for (;;) {} } }); throw e",
         "! failed TypeError: kept"},
        {"throw { toJSON() { for (;;) {} } }",
         "! failed : the script threw an error that could not be read"},
        {"throw new Proxy({}, { get() { for (;;) {} } })",
         "! failed : the script threw an error that could not be read"},
        {"Promise.reject({ get message() { for (;;) {} } }); return 7", "= 7"},
        {"Promise.reject({ get name() { for (;;) {} } }); throw new RangeError('first')",
         "! failed RangeError: first\nframes [{\"function\":\"\",\"line\":1,\"column\":59}]"},
        {"queueMicrotask(() => { const e = new Error(''); Object.defineProperty(e, 'message', { "
         "get() { for (;;) {} } }); throw e }); return 7",
         "! failed Error: "},
        {"return { toJSON() { queueMicrotask(() => { for (;;) {} }); return 7 } }", "= 7"},
    };

    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        check(play_stopped(ways[i][0]), ways[i][1], ways[i][0]);
    }
}

/* Returned, and a job of its own or a call still runs when the stop comes. */
static void test_after_the_end(void)
{
    T_STR(play_stopped("queueMicrotask(function f() { queueMicrotask(f) }); return 7"), UNREAD);
    T_STR(play_stopped("(async () => { for (;;) await 0 })(); return 7"), UNREAD);
    T_STR(play_stopped("(async () => { for (;;) await 0 })(); throw new Error('first')"),
          "! failed Error: first\nframes [{\"function\":\"\",\"line\":1,\"column\":49}]");
}

/* A flag that is set at the start, and one that is taken back, which the host never does. */
static void test_flag(void)
{
    int status = 0;
    pid_t child;

    memset(shared, 0, sizeof(*shared));
    atomic_store(&shared->page.stop, 1);
    child = fork();
    if (child == 0) {
        alarm(20);
        run_script(bytes_str("text('no'); tools.echo({}); return 1"));
    }
    waitpid(child, &status, 0);
    T_EQ(status, 0);
    T_STR(shared->text, "! stopped : ");

    memset(shared, 0, sizeof(*shared));
    child = fork();
    if (child == 0) {
        alarm(20);
        run_script(bytes_str("for (;;) { try { for (;;) {} } catch { } finally { text('no') } }"));
    }
    for (int i = 0; i < 200 && waitpid(child, &status, WNOHANG) == 0; i++) {
        atomic_store(&shared->page.stop, (uint32_t)(i % 2));
        usleep(1000);
    }
    T_EQ(status, 0);
    T_STR(shared->text, "! stopped : ");
}

int main(void)
{
    if (play_init() < 0) {
        return 1;
    }
    test_loops();
    test_native_loops();
    test_nothing_after();
    test_while_reading();
    test_after_the_end();
    test_flag();
    return T_DONE("stop");
}
