#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Tool servers on bad days: garbage, death at start and in a call, silence, deafness. The script
# gets an error it can catch, the run ends, and no process is left.
# shellcheck source=tests/cli/lib.bash
. "$(dirname "$0")/lib.bash"

# one NAME WORDS EXPECTED SCRIPT: a run with one double that behaves so, d.json for the good one.
one() {
    local name=$1 words=$2 want=$3 code=$4
    shift 4
    config c.json "d=$words" good=
    script --mcp c.json "$@" <<<"$code"
    check "$name: ends by itself" is_status 0
    check "$name: its value" is_out "$want\n"
    check "$name: nothing left" none_left
}
caught='catch (e) { return [e.name, e.effect].join() }'

one "a good server" "" '{"a":1}' 'return (await tools["d.echo"]({ a: 1 })).structuredContent'
one "the short form of a name" "" '{"a":1}' 'return (await tools.d.echo({ a: 1 })).data'
one "garbage around every message" garbage '{"a":1}' 'return (await tools["d.echo"]({ a: 1 })).data'
one "a message a byte at a time" bytewise '{"a":1}' 'return (await tools["d.echo"]({ a: 1 })).data'
one "dies in a call" "" 'ToolFailed,possible' "try { await tools['d.die']() } $caught"
one "is killed in a call" "" 'ToolFailed,possible' "try { await tools['d.kill']() } $caught"
one "is started again after its death" "" '{"b":2}' 'try { await tools["d.die"]() } catch {} return (await tools["d.echo"]({ b: 2 })).data'
one "others go on while one dies" "" '{"c":3}' 'await tools["d.die"]().catch(() => 1); return (await tools["good.echo"]({ c: 3 })).data'
one "never answers a call" "" 'CallTimeout,possible' "try { await tools['d.sleep']() } $caught" --limit call_timeout=300ms
one "40 calls that are never answered" "" 40 'const all = await Promise.allSettled(Array.from({ length: 40 }, () => tools["d.sleep"]())); return all.filter((r) => r.reason?.name === "CallTimeout").length' --limit call_timeout=200ms
one "answers twice" "" 0 'return (await tools["d.twice"]()).content.length'
one "a result that is no object" "" 'ToolFailed,possible' "try { await tools['d.number']() } $caught"
one "an answer that is no JSON" "" 'ToolFailed,possible' "try { await tools['d.broken']() } $caught"
one "an error of the protocol" "" '[true,true]' 'const r = await tools["d.refuse"](); return [r.isError, r.text.includes("bad \"arguments\"")]'
one "a result past a third of the memory" "" 'ResultTooLarge,done' "try { await tools['d.big']({ bytes: 8000000 }) } $caught" --limit memory=16MiB
one "a flood on stderr" flood '{"a":1}' 'return (await tools["d.echo"]({ a: 1 })).data'
one "ignores its stdin's end and SIGTERM" stubborn '{"a":1}' 'return (await tools["d.echo"]({ a: 1 })).data'
one "leaves a child behind" "child=$here/child" '{"a":1}' 'return (await tools["d.echo"]({ a: 1 })).data'

# Servers that cannot show their tools: told by name, the others are there, the run goes on.
absent() {
    local name=$1 words=$2 told=$3
    config c.json "d=$words" good=
    script --mcp c.json <<<'
const e = await tools["d.echo"]().catch((e) => e);
return [e.name, (await tools["good.echo"]({ a: 1 })).data.a, ALL_TOOLS.filter((t) => t.name.startsWith("d.")).length]'
    check "$name: the run goes on" is_status 0
    check "$name: its tool is unknown, the others work" is_out '["UnknownTool",1,0]\n'
    check "$name: told, by name" has_err 'server "d"'
    check "$name: told, why" has_err "$told"
    check "$name: nothing left" none_left
}
absent "dies at start" exit "no such database"
absent "refuses to start" refuse "not today"
absent "dies once started" ends "cannot go on"
script --json --mcp c.json <<<'return 1'
check "a server that failed is a note in the object" json_is 'o.notes.map((n) => [n.note, n.server].join()).join()' server_failed,d
cat >short.json <<J
{ "mcpServers": { "d": { "command": "$double", "args": ["silent"], "startup_timeout_sec": 1 }, "good": { "command": "$double" } } }
J
script --mcp short.json <<<'return (await tools["good.echo"]({ a: 1 })).data.a'
check "silent at start: the run goes on" is_out '1\n'
check "silent at start: told, by name" has_err 'server "d"'
check "silent at start: nothing left" none_left
# shellcheck disable=SC2016 # the variable is the config's
printf '{ "mcpServers": { "d": { "command": "%s", "args": ["${TORNO_NOT_SET}"] }, "good": { "command": "%s" } } }' "$double" "$double" >unset.json
script --mcp unset.json <<<'return (await tools["good.echo"]({ a: 1 })).data.a'
check "an unset variable: the run goes on" is_out '1\n'
check "an unset variable: told by its name" has_err TORNO_NOT_SET
check "an unset variable: the server's name" has_err 'server "d"'

# Stopped while the servers start.
config c.json "d=silent"
"$torno" run --mcp c.json - >out 2>err <<<'return 1' &
pid=$!
sleep 0.3
kill -INT $pid
wait $pid
status=$?
check "stopped while a server is silent: 130" is_status 130
check "stopped while a server is silent: nothing left" none_left
config c.json "d=silent"
"$torno" run --json --mcp c.json - >out 2>err <<<'return 1' &
pid=$!
sleep 0.3
kill -INT $pid
wait $pid
check "stopped while a server is silent: an object all the same" json_is 'o.ending + ": " + o.error.message' "stopped: it was stopped before it began"
config c.json "d=deaf"
"$torno" run --mcp c.json - >out 2>err <<<'return 1' &
pid=$!
sleep 0.3
kill -TERM $pid
wait $pid
status=$?
check "stopped while a server is deaf: 130" is_status 130
check "stopped while a server is deaf: nothing left" none_left

# Tools that no script can have cost only themselves.
config c.json d=deep=2 good=
script --mcp c.json <<<'return [(await tools["good.echo"]({ a: 1 })).data.a, (await tools["d.echo"]({ a: 2 })).data.a, ALL_TOOLS.some((t) => t.name.includes("deep"))]'
check "a schema nested too deep: the run goes on without it" is_out '[1,2,false]\n'
check "a schema nested too deep: told" has_err 'd.deep1'
config c.json d=fat=9 z=fat=9 good=
script --mcp c.json <<<'return [(await tools["good.echo"]({ a: 1 })).data.a, ALL_TOOLS.filter((t) => t.name.includes("fat")).length]'
check "more tools than a script can have: the first of them" is_out '[1,15]\n'
check "more tools than a script can have: told" has_err '16 MiB; it is left out'
run tools --mcp c.json
check "more tools than a script can have: the same are shown" [ "$(grep -c '^[dz]\.fat' out)" = 15 ]

# Many at once, over pages, and their names.
config many.json a= b=page=3 c=page=1 d=tools=400
script --mcp many.json <<<'return [ALL_TOOLS.length, new Set(ALL_TOOLS.map((t) => t.name)).size]'
check "four servers over pages" is_out '[464,464]\n'
config two.json e=
script --mcp many.json --mcp two.json <<<'return (await Promise.all(["a", "b", "c", "d", "e"].map((s) => tools[s + ".echo"]({ s })))).map((r) => r.data.s).join("")'
check "--mcp twice, all called at once" is_out 'abcde\n'
run run --mcp two.json --mcp two.json /dev/null
check "the same server twice: 2" is_status 2
check "the same server twice: told" has_err '"e"'
run tools --mcp two.json echo
check "tools: words choose" [ "$(grep -c '^e\.' out)" = 1 ]
check "tools: a signature" has_out 'e.echo('
check "tools: the first sentence of the description" has_out '    Does "it"'
check "tools: nothing left" none_left
config c.json d=exit good=
run tools --mcp c.json
check "tools: a server failed: 1" is_status 1
check "tools: the others are shown" has_out good.echo
check "tools: nothing left after that" none_left

# The keeper.
"$torno" keep $$ -- sh -c 'cat; echo err >&2; exit 7' >out 2>err <<<hello
status=$?
check "keep: the server's status" is_status 7
check "keep: stdin to stdout" is_out 'hello\n'
check "keep: stderr" has_err err
"$torno" keep $$ -- no-such-program >out 2>err
status=$?
check "keep: cannot be started: 127" is_status 127
check "keep: cannot be started: told" has_err "no-such-program could not be started"
"$torno" keep $$ -- sh -c 'kill -9 $$' >out 2>err
status=$?
check "keep: ended by a signal: 128 and it" is_status 137
cp "$double" bin/stray
stray="$here/bin/stray deaf"
"$torno" keep $$ -- sh -c "$stray & setsid $stray & (setsid sh -c '$stray & $stray' &) ; sleep 0.2; exit 3" >out 2>err
status=$?
check "keep: its status where it leaves children behind" is_status 3
check "keep: the server's end ends all it started" none_left
"$torno" keep $$ -- sh -c "trap '' TERM; setsid $stray & while :; do sleep 0.1; done" >out 2>err &
pid=$!
sleep 0.3
kill -TERM $pid
sleep 0.1
kill -TERM $pid
wait $pid
status=$?
check "keep: a second SIGTERM kills" is_status 137
check "keep: a second SIGTERM leaves none" none_left
sh -c "$torno keep \$\$ -- sh -c '$stray & setsid $stray & wait' & wait" >out 2>err &
pid=$!
sleep 0.4
check "keep: they run" [ "$(survivors | wc -w)" -ge 3 ]
kill -9 $pid
wait $pid 2>/dev/null
check "keep: the host's death ends all" none_left
finish
