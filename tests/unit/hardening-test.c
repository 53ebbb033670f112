/* SPDX-License-Identifier: MIT
 *
 * A script that replaces or deletes a built-in breaks only itself. The built-ins are asked of the
 * engine when the test runs: every property of every object that can be reached from the globals
 * and from a few syntactic forms. Each is damaged in four ways, one by one: a thrower
 * or a liar in its place, a getter and setter that throw, nothing at all. After each, the script
 * calls, writes, catches refusals, and ends; all of that must hold.
 */
#include "engine-play.h"
#include "t.h"

enum { MAX_PLACES = 8000, CODE_BYTES = 8000 };

/* Every property as "object expression TAB key expression". A function's name and length are
 * left out: they are data that nothing but the script reads. */
static const char list_places[] =
    "const seen = new Map(), queue = [];\n"
    "const add = (v, e) => { if (((typeof v === 'object' && v !== null) || typeof v === "
    "'function') && !seen.has(v)) { seen.set(v, e); queue.push(v) } };\n"
    "add(globalThis, 'globalThis');\n"
    "for (const e of ['(async () => 1)', '(function* () {})', '(async function* () {})', "
    "'(function* () {})()', '(async function* () {})()', '[][Symbol.iterator]()', "
    "'new Map()[Symbol.iterator]()', 'new Set()[Symbol.iterator]()', '\"\"[Symbol.iterator]()', "
    "'\"\".matchAll(/x/g)', 'Object.getPrototypeOf(Int8Array)', '[].values().map((x) => x)', "
    "'Iterator.from({ next() {} })', '(async () => 1)()', '(function () { return arguments })()', "
    "'new URLSearchParams()[Symbol.iterator]()'])\n"
    "try { add((0, eval)(e), e) } catch {}\n"
    "for (let i = 0; i < queue.length; i++) { const o = queue[i], e = seen.get(o);\n"
    "for (const k of Reflect.ownKeys(o)) {\n"
    "if (typeof o === 'function' && (k === 'name' || k === 'length')) continue;\n"
    "const key = typeof k === 'symbol' ? k.description : JSON.stringify(k);\n"
    "text(e + '\\t' + key); const d = Reflect.getOwnPropertyDescriptor(o, k);\n"
    "if ('value' in d) add(d.value, e + '[' + key + ']');\n"
    "}\nadd(Object.getPrototypeOf(o), 'Object.getPrototypeOf(' + e + ')') }\n";

/* What is taken before the damage, so that what breaks after it is not the script's own doing. */
static const char before[] =
    "const T = tools, W = text, C = console, M = new Map([['k', 1]]), S = new Set([2]), "
    "U = new Uint8Array(2), E = new TypeError('kept'), "
    "def = Reflect.defineProperty, has = Reflect.getOwnPropertyDescriptor;\n";

/* Two damages to a script: the first is put right again, the second stays to the end. */
struct damage {
    const char *first;
    const char *second;
    const char *end;
    const char *want_end;
};

static const char thrower[] = "def(o, k, { value: function () { throw 'bomb' }, writable: true, "
                              "configurable: true })";
static const char liar[] = "def(o, k, { value: function () { return 'forged' }, writable: true, "
                           "configurable: true })";
static const char mine[] = "def(o, k, { get() { throw 'bomb' }, set(v) { throw 'bomb' }, "
                           "configurable: true })";
static const char deleter[] = "delete o[k]";

static const char uses[] =
    "const r = await T.echo({ a: 1, list: [1, { b: 'x' }], n: null });\n"
    "W('got', r.structuredContent.a, r.text, r.isError);\nW({ a: [1, 2] });\n"
    "C.log('log', 5, true, [1, { x: 'y' }]);\n"
    "try { await T.refuse({}) } catch (e) { W(e.tool + ' ' + e.effect + ' ' + e.message) }\n"
    "try { await T.ecko({}) } catch (e) { W(e.message) }\n"
    "try { await T.echo({ bad: 0 / 0 }) } catch (e) { W(e.message) }\n";

static const char used[] =
    "> 1 echo {\"a\":1,\"list\":[1,{\"b\":\"x\"}],\"n\":null}\n~ got 1 hello false\n"
    "~ {\"a\":[1,2]}\n~ log 5 true [ 1, { x: 'y' } ]\n> 2 refuse {}\n~ refuse none not allowed\n"
    "~ there is no tool \"ecko\"; close names: \"echo\"\n"
    "~ args.bad is NaN, which JSON can't hold; write a finite number or null\n";

static const char used_again[] =
    "> 3 echo {\"a\":1,\"list\":[1,{\"b\":\"x\"}],\"n\":null}\n~ got 1 hello false\n"
    "~ {\"a\":[1,2]}\n~ log 5 true [ 1, { x: 'y' } ]\n> 4 refuse {}\n~ refuse none not allowed\n"
    "~ there is no tool \"ecko\"; close names: \"echo\"\n"
    "~ args.bad is NaN, which JSON can't hold; write a finite number or null\n";

static const char returns[] = "return { ok: true, m: M, s: S, u: U, t: ['\\u00e9'] }";
static const char returned[] =
    "= {\"ok\":true,\"m\":{\"k\":1},\"s\":[2],\"u\":[0,0],\"t\":[\"\xc3\xa9\"]}";
static const char throws[] = "throw E";
static const char thrown[] = "! failed TypeError: kept";

static char *places[MAX_PLACES];
static size_t n_places;

static void find_places(void)
{
    static char *copy; /* the places point into it */
    char *rest;

    copy = strdup(play(list_places));
    for (char *line = strtok_r(copy, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        if (line[0] == '~' && n_places < MAX_PLACES) {
            places[n_places++] = line + 2;
        }
    }
}

/* Left out: what the script calls by that name itself, what the console tells an object by,
 * and the name that the thrown error has from its class. */
static bool is_own_affair(const char *place)
{
    return strncmp(place, "globalThis[\"tools\"]\t", 20) == 0 ||
           strncmp(place, "globalThis[\"console\"]\t", 22) == 0 ||
           strstr(place, "\t\"constructor\"") != NULL ||
           strcmp(place, "globalThis[\"TypeError\"][\"prototype\"]\t\"name\"") == 0;
}

static void play_damage(const char *place, const struct damage *d)
{
    static char code[CODE_BYTES];
    static char want[CODE_BYTES];
    const char *tab = strchr(place, '\t');

    snprintf(code, sizeof(code),
             "%sconst o = %.*s, k = %s, was = has(o, k);\n"
             "try { %s } catch {}\n{\n%s}\ndef(o, k, was);\ntry { %s } catch {}\n{\n%s}\n%s",
             before, (int)(tab - place), place, tab + 1, d->first, uses, d->second, uses, d->end);
    snprintf(want, sizeof(want), "%s%s%s", used, used_again, d->want_end);
    play(code);
    t_checks++;
    if (strncmp(shared->text, want, strlen(want)) != 0 ||
        (d->end == returns && strlen(shared->text) != strlen(want))) {
        t_failures++;
        fprintf(stderr, "%s: %s; %s\n%s\n", place, d->first, d->second, shared->text);
    }
}

int main(void)
{
    static const struct damage values = {liar, thrower, throws, thrown};
    static const struct damage gone = {deleter, mine, returns, returned};

    if (play_init() < 0) {
        return 1;
    }
    find_places();
    T_OK(n_places > 900 && n_places < MAX_PLACES);
    for (size_t i = 0; i < n_places; i++) {
        if (!is_own_affair(places[i])) {
            play_damage(places[i], &values);
            play_damage(places[i], &gone);
        }
    }
    return T_DONE("hardening");
}
