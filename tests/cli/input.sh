#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Bad input: one sentence on stderr that names the thing and what is right, status 2, stdout
# empty, and nothing started. And the help, which must fit a screen.
# shellcheck source=tests/cli/lib.bash
. "$(dirname "$0")/lib.bash"

echo 'return 1' >good.js
config d.json d=

# A server that would tell that it was started.
cat >tell.json <<J
{ "mcpServers": { "tell": { "command": "/bin/sh", "args": ["-c", "touch $here/started; exec $double"] } } }
J
started() { [ -e "$here/started" ]; }

# refuses NAME "WORDS|WORDS..." ARGS...: all of that, with the words on stderr.
refuses() {
    local name=$1 words=$2 word
    shift 2
    run "$@"
    if ! is_status 2 || ! one_line || [ -s out ] || started || [ -n "$(survivors)" ]; then
        bad "$name" "status $status, $(wc -l <err) lines" "stdout: $(cat out)" "stderr: $(cat err)" \
            "started: $(ls "$here/started" 2>/dev/null) $(survivors)"
        rm -f started
        return
    fi
    while IFS= read -r -d '|' word; do
        has_err "$word" || { bad "$name" "\"$word\" is not in: $(cat err)"; return; }
    done < <(printf '%s|' "$words")
    ok
}

t="--mcp tell.json"
# shellcheck disable=SC2086
{
    refuses "no command" "run, tools, doctor"
    refuses "unknown command" "frobnicate|run, tools, doctor" frobnicate
    refuses "no script" "script is missing|torno run" run $t
    refuses "two scripts" "good.js|other.js" run $t good.js other.js
    refuses "missing script" "nowhere.js|No such file" run $t nowhere.js
    refuses "a folder as script" "$here|folder" run $t "$here"
    printf 'return "\xff"' >bytes.js
    refuses "a script of no text" "bytes.js|line 1|UTF-8" run $t bytes.js
    printf 'return 1\nreturn \0' >nul.js
    refuses "a script with a NUL" "nul.js|line 2" run $t nul.js
    head -c 1048577 /dev/zero | tr '\0' ' ' >long.js
    refuses "a script past max_code" "long.js|max_code|1048576" run $t long.js
    refuses "a script past a smaller max_code" "good.js|max_code|5" run $t --limit max_code=5 good.js
    refuses "an endless script" "/dev/zero|max_code" run $t /dev/zero

    cp good.js snake.py
    refuses "Python by its name" "snake.py|Python|JavaScript" run $t snake.py
    printf '\n  \nimport os\nprint(os)\n' >a.js
    refuses "Python by its first line: import" "a.js|Python|JavaScript" run $t a.js
    printf '# count\nx = 1\n' >b.js
    refuses "Python by its first line: comment" "b.js|Python" run $t b.js
    printf 'def f(x):\n    return x\n' >c.js
    refuses "Python by its first line: def" "c.js|Python" run $t c.js
    refuses "--language python" "--language python|JavaScript" run $t --language python good.js
    refuses "an unknown language" "--language ruby|javascript" run $t --language ruby good.js

    refuses "an unknown flag" "--trace|--mcp|--limit|--json" run $t --trace x good.js
    refuses "an unknown short flag" "-x|--mcp" run $t -x good.js
    refuses "a flag cut short" "--lim|--limit" run $t --lim memory=16MiB good.js
    refuses "a flag without its value" "--mcp|FILE" run good.js --mcp
    refuses "a flag with an empty value" "--mcp|FILE" run good.js --mcp=
    refuses "a value that is not wanted" "--json|yes" run $t --json=yes good.js

    refuses "an unknown limit" "wall|lifetime|memory" run $t --limit wall=2s good.js
    refuses "a limit without value" "memory" run $t --limit memory good.js
    refuses "a limit in a wrong unit" "memory|2s|MiB" run $t --limit memory=2s good.js
    refuses "a limit that is no number" "lifetime|soon" run $t --limit lifetime=soon good.js
    refuses "a limit too low" "memory|4" run $t --limit memory=1MiB good.js
    refuses "a limit too high" "lifetime|from 1ms to 24h" run $t --limit lifetime=25h good.js
    refuses "a limit below zero" "lifetime|-1" run $t --limit lifetime=-1 good.js
    refuses "a limit past 64 bits" "memory" run $t --limit memory=99999999999999999999GiB good.js
}

# Configs: nothing of any of them is started where one is wrong.
conf() {
    printf '%s' "$3" >conf.json
    refuses "config: $1" "conf.json|$2" run --mcp tell.json --mcp conf.json good.js
}
refuses "config: missing" "nowhere.json|No such file" run --mcp tell.json --mcp nowhere.json good.js
refuses "config: a folder" "$here" run --mcp tell.json --mcp "$here" good.js
conf "empty" "conf.json" ""
conf "broken" "conf.json:3" $'{ "mcpServers":\n{ "a":\n{ "command" } } }'
conf "no servers" "mcpServers" '{ "tools": 1 }'
conf "servers of a wrong kind" "mcpServers" '{ "mcpServers": [] }'
conf "a server without command" 'server "a"|command' '{ "mcpServers": { "a": {} } }'
conf "arguments of a wrong kind" 'server "a"|args' '{ "mcpServers": { "a": { "command": "sh", "args": 5 } } }'
conf "a command that is not there" 'server "a"|no-such-program|PATH' '{ "mcpServers": { "a": { "command": "no-such-program" } } }'
conf "a command that is no program" "server \"a\"|$here/conf.json" "{ \"mcpServers\": { \"a\": { \"command\": \"$here/conf.json\" } } }"
conf "a command behind good ones" 'server "z"|no-such-program' "{ \"mcpServers\": { \"b\": { \"command\": \"$double\" }, \"z\": { \"command\": \"no-such-program\" } } }"

refuses "tools: no config" "--mcp FILE" tools
refuses "tools: unknown flag" "--json|--mcp" tools --json
refuses "doctor: a word" "now" doctor now
refuses "doctor: unknown flag" "--fix|--json" doctor --fix
refuses "keep: by hand" "torno keep HOSTPID" keep
refuses "keep: somebody else's host" "process 1" keep 1 -- true

# Here servers are started, and ended.
run tools --mcp d.json no-such-word
check "tools: a name that there is not" is_status 2
check "tools: a name that there is not, one line" one_line
check "tools: a name that there is not, how many there are" has_err "16 tools"
check "tools: nothing left" none_left

mkdir alone
cp bin/torno alone/torno
alone/torno run good.js >out 2>err
status=$?
check "the helper is missing: status" is_status 2
check "the helper is missing: its name" has_err "torno-warden is missing"
check "the helper is missing: where it belongs" has_err "$here/alone/"
check "the helper is missing: one line" one_line
alone/torno --version >out 2>err
check "the version without the helper" has_out "walls: none: the helper torno-warden is missing"

# Help fits a screen: 24 lines of 80 columns.
for what in "--help" "run --help" "tools --help" "doctor --help" "-h" "run -h"; do
    # shellcheck disable=SC2086
    run $what
    check "$what: status" is_status 0
    check "$what: says something" [ "$(wc -l <out)" -gt 4 ]
    check "$what: at most 24 lines" [ "$(wc -l <out)" -le 24 ]
    check "$what: at most 80 columns" [ "$(wc -L <out)" -le 80 ]
    check "$what: stderr" is_quiet
done
run run --help
check "every limit is in the help" [ "$(grep -o '[a-z_]*=' out | grep -c _)" -ge 11 ]

run --version
check "--version: status" is_status 0
check "--version: engine" has_out "engine: QuickJS-ng"
check "--version: protocol" has_out "protocol: 1"
check "--version: walls" has_out "walls: tier "
finish
