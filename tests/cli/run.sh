#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# `torno run` of good scripts and bad ones: what goes to stdout and stderr, exit statuses, the
# object of --json, signals, slow and vanished readers.
# shellcheck source=tests/cli/lib.bash
. "$(dirname "$0")/lib.bash"
config d.json d=

# --- stdout, stderr, status
script <<<'console.log("one"); text("two"); return "three"'
check "output, then a string as it is" is_out 'one\ntwo\nthree\n'
check "a finished script is silent on stderr" is_quiet
check "finished: 0" is_status 0
script <<<'return { a: [1, "x", null] }'
check "a value as JSON" is_out '{"a":[1,"x",null]}\n'
script <<<'return "two\nlines\n"'
check "a string that has its line end gets no second" is_out 'two\nlines\n'
script <<<'return ""'
check "an empty string is an empty line" is_out '\n'
script <<<'1 + 1'
check "no value, no line" is_out ''
script </dev/null
check "an empty script: status" is_status 0
check "an empty script: stdout" is_out ''
echo 'return 5' >-dash.js
run run -- -dash.js
check "-- ends the options" is_out '5\n'
run run --json -- ./-dash.js
check "options before --" json_is o.value 5
printf '\357\273\277return "bom"' | "$torno" run - >out 2>err
check "a byte order mark" has_out bom
printf '#!/usr/bin/env -S torno run\nreturn 1\n' >bang.js
run run bang.js
check "a #! line" is_out '1\n'
# shellcheck disable=SC2016 # not a substitution
printf 'const code = `\nimport os\n`;\nreturn code.length' | "$torno" run - >out 2>err
check "Python in a string is no Python script" has_out 11
printf 'return [...Array(3).keys()]' >script.ts.txt
run run script.ts.txt
check "any file name" is_out '[0,1,2]\n'

printf 'function f(x) {\n\treturn x.y.z;\n}\nconsole.log("before");\nf({});\n' >broken.js
run run broken.js
check "failed: 1" is_status 1
check "failed: output before it" is_out 'before\n'
check "failed: name and message" has_err "torno: broken.js failed: TypeError: "
check "failed: the source line" has_err "     2 | 	return x.y.z;"
check "failed: frames with file, line and column" has_err "    at f (broken.js:2:"
check "failed: the caller's frame" has_err "    at broken.js:5:"
script <<<'throw new RangeError("\x1b[31mred\x07")'
check "no control character of a script reaches stderr" [ "$(LC_ALL=C grep -c '[[:cntrl:]]' err)" = 0 ]
script <<<$'let ok = 1;\nlet x = ;'
check "a syntax error: status" is_status 1
check "a syntax error: line" has_err "<stdin>:2:"
check "a syntax error: the source line, once" [ "$(grep -c 'let x = ;' err)" = 1 ]
script <<<'await new Promise(() => {})'
check "stalled: 1" is_status 1
check "stalled: told" has_err "failed (stalled)"
script --limit lifetime=300ms <<<'for (;;);'
check "expired: 4" is_status 4
check "expired: told" has_err "expired (lifetime)"
script --limit cpu_time=200ms <<<'for (;;);'
check "cpu: 4" is_status 4
check "cpu: told" has_err "expired (cpu)"
script --limit memory=8MiB <<<'const a = []; for (;;) a.push(new Array(1000).fill(1));'
check "out of memory: 1" is_status 1
check "out of memory: told" has_err "out of memory"
script <<<'const f = () => f(); f();'
check "endless recursion: 1" is_status 1
check "endless recursion: told" has_err "RangeError"
script <<<'return "x".repeat(26 * 1024 * 1024)'
check "oversize: 1" is_status 1
check "oversize: told" has_err "oversize"
script <<<'return 1'
check "and the next run works" is_out '1\n'
script <<<'Promise.reject(new Error("lost")); return 1'
check "an unhandled rejection is told in words" has_err "nothing handled the rejection Error: lost (line"
check "an unhandled rejection leaves the ending" is_status 0

# --- order
script --mcp d.json <<<'
console.log("before the call");
await tools["d.echo"]({});
console.log("after it");
return "value"'
check "output, calls, output, value" is_out 'before the call\nafter it\nvalue\n'
script <<<'for (let i = 0; i < 20000; i++) console.log("line " + i); return "end"'
seq -f 'line %.0f' 0 19999 >want
echo end >>want
check "20,000 lines, all and in order" cmp -s out want
script <<<'text("no line end"); return "value"'
check "the value has a line of its own" [ "$(tail -n 1 out)" = value ]
# What was written is there before the script ends.
rm -f out
"$torno" run --mcp d.json - >out 2>err <<<'console.log("early"); await tools["d.sleep"]()' &
pid=$!
for ((i = 0; i < 250; i++)); do [ -s out ] && break; sleep 0.02; done
check "output comes as it is written" is_out 'early\n'
kill -INT $pid
wait $pid
status=$?
check "SIGINT stops a waiting script: 130" is_status 130

# --- a reader that does not read
printf 'for (;;) console.log("x".repeat(1000))' >flood.js
mkfifo slow
exec 9<>slow
"$torno" run --limit lifetime=300ms flood.js >slow 2>err &
pid=$!
for ((i = 0; i < 500; i++)); do
    grep -q expired err && break
    sleep 0.02
done
check "the lifetime holds where nobody reads" has_err "expired (lifetime)"
kill -9 $pid
wait $pid 2>/dev/null
check "and nothing is left" none_left
printf 'await sleep(500); return "x".repeat(1e6)' >large.js
"$torno" run --limit lifetime=20s large.js >slow 2>err &
pid=$!
# Its cell and helpers came, and went: torno waits for the reader.
for ((i = 0; i < 500 && $(survivors | wc -w) < 3; i++)); do sleep 0.02; done
for ((i = 0; i < 500 && $(survivors | wc -w) != 1; i++)); do sleep 0.02; done
kill -INT $pid
sleep 0.1
kill -INT $pid 2>/dev/null
wait $pid
status=$?
check "a value that a second signal drops: 130" is_status 130
check "a value that a second signal drops: told" has_err "stdout lacks its end"
exec 9<&-

# --- wakes
script <<<'await wake_agent({ half: "way\u001b[2J" }); text("on")'
check "a wake is a line on stderr, with nothing that a terminal would obey" \
    has_err 'torno: wake: {"half":"way\u001b[2J"}'
check "a wake is no output" is_out 'on\n'
script <<<'wake_agent(1); wake_agent(2); text("done")'
check "a wake that was not delivered is told" has_err 'torno: 1 of its 2 wakes was not delivered'
script --json --limit wake_spacing=1ms <<<'await wake_agent([1]); await wake_agent("two")'
check "json: wakes" json_is 'JSON.stringify(o.wakes)' '{"sent":2,"delivered":2,"payloads":[[1],"two"]}'
script --json <<<''
check "json: no wakes" json_is 'JSON.stringify(o.wakes)' '{"sent":0,"delivered":0,"payloads":[]}'

# --- the object of --json
script --json --mcp d.json <<<'console.log("out"); text("put"); await tools["d.echo"]({ a: 1 }); return { x: "y" }'
check "json: one line, one object" [ "$(wc -l <out)" = 1 ]
check "json: its keys, in order" json_is 'Object.keys(o).join()' ending,reason,value,error,calls,calls_dropped,output,dropped,walls,stats,wakes,notes
check "json: ending" json_is 'o.ending' finished
check "json: reason" json_is 'JSON.stringify(o.reason)' '""'
check "json: value" json_is 'o.value.x' y
check "json: error" json_is 'o.error' null
check "json: a call's keys" json_is 'Object.keys(o.calls[0]).join()' id,tool,state,effect,ms
check "json: a call" json_is '[o.calls.length, o.calls[0].tool, o.calls[0].state, o.calls[0].effect, typeof o.calls[0].ms].join()' 1,d.echo,answered,done,number
check "json: calls_dropped" json_is 'o.calls_dropped' 0
check "json: output" json_is 'JSON.stringify(o.output)' '"out\nput\n"'
check "json: dropped" json_is 'o.dropped' 0
check "json: walls" json_is '/^tier /.test(o.walls)' true
check "json: stats" json_is 'Object.keys(o.stats).join()' wall_ms,cpu_ms,memory_peak,first_call_ms
check "json: stats are numbers" json_is 'Object.values(o.stats).every((n) => typeof n === "number" && n >= 0)' true
check "json: status 0" is_status 0
script --json <<<'1'
check "json: no value is null" json_is 'o.value' null
check "json: no call is null" json_is 'o.stats.first_call_ms' null
printf 'function g() {\n  throw new TypeError("no \\"good\\"");\n}\ng();\n' | "$torno" run --json - >out 2>err
status=$?
check "json: failed: 1" is_status 1
check "json: failed" json_is 'o.ending' failed
check "json: error's keys" json_is 'Object.keys(o.error).join()' name,message,frames
check "json: error" json_is 'o.error.name + ": " + o.error.message' 'TypeError: no "good"'
check "json: frames" json_is 'o.error.frames.map((f) => f.function + f.line).join()' 'g2,4'
check "json: a frame's keys" json_is 'Object.keys(o.error.frames[0]).sort().join()' column,function,line
script --json --mcp d.json --limit call_timeout=200ms <<<'
try { await tools["d.sleep"]({ why: "never" }) } catch (e) { console.log(e.name) }
const r = await tools["d.fail"](); console.log(r.isError, r.text)'
check "json: an unseen call has its arguments" json_is 'o.calls[0].state + o.calls[0].effect + o.calls[0].arguments' 'timed_outpossible{"why":"never"}'
check "json: a failed call" json_is 'o.calls[1].state + o.calls[1].effect' failedpossible
check "json: output of both" json_is 'JSON.stringify(o.output)' '"CallTimeout\ntrue no luck\n"'
check "unseen calls are told in words too" has_err 'd.sleep({"why":"never"}) had no answer in time; it may have taken effect'
script --json --limit output_head=5 --limit output_tail=3 <<<'text("abcdefghijklmnop")'
check "json: head and tail" json_is 'JSON.stringify(o.output)' '"abcdeop\n"'
check "json: dropped characters" json_is 'o.dropped' 9
script --json --limit lifetime=200ms <<<'for (;;);'
check "json: expired: 4" is_status 4
check "json: expired" json_is 'o.ending + o.reason' expiredlifetime
script --json --mcp d.json <<<'for (let i = 0; i < 1100; i++) await tools["d.echo"]({})'
check "json: at most 1,000 answered calls" json_is '[o.calls.length, o.calls_dropped].join()' 1000,100
script --json <<<'return [0.1, 12345678901234567890, "\u2028 \ud83d\ude00", { __proto__: null, constructor: 1 }]'
check "json: the value's own text" json_is 'JSON.stringify([o.value[0], o.value[1], [...o.value[2]].map((c) => c.codePointAt(0)), o.value[3]])' '[0.1,12345678901234567000,[8232,32,128512],{"constructor":1}]'

# --- signals and readers
for how in "for (;;);" 'await tools["d.sleep"]()' 'for (;;) await tools["d.echo"]()'; do
    for number in INT TERM HUP; do
        "$torno" run --json --mcp d.json - >out 2>err <<<"console.log('up'); $how" &
        pid=$!
        sleep 0.4
        kill -$number $pid
        wait $pid
        status=$?
        check "SIG$number in $how: 130" is_status 130
        check "SIG$number in $how: stopped" json_is 'o.ending' stopped
        check "SIG$number in $how: nothing left" none_left
    done
done
"$torno" run --limit stop_grace=60s --mcp d.json - >out 2>err <<<'for (;;) { try { for (;;); } catch {} }' &
pid=$!
sleep 0.3
kill -INT $pid
sleep 0.1
kill -INT $pid 2>/dev/null
wait $pid
status=$?
check "a second SIGINT: 130" is_status 130
check "a second SIGINT: nothing left" none_left

"$torno" run - 2>err <<<'for (let i = 0; ; i++) console.log("line " + i)' | head -n 3 >out
status=${PIPESTATUS[0]}
check "the reader goes away: stopped" is_status 130
check "the reader goes away: what it read" is_out 'line 0\nline 1\nline 2\n'
check "the reader goes away: told" has_err "reader of stdout went away"
check "the reader goes away: nothing left" none_left
"$torno" run - >/dev/full 2>err <<<'return "x"'
status=$?
check "stdout is full: 1" is_status 1
check "stdout is full: told" has_err "No space left"
"$torno" run - 2>err >&- <<<'console.log("x")'
status=$?
check "stdout is closed: told" has_err "stdout cannot be written"
check "stdout is closed: no success" [ "$status" != 0 ]
"$torno" run - >out 2>&- <<<'return 1'
status=$?
check "stderr is closed: still right" is_out '1\n'

mkfifo slow
"$torno" run - >slow 2>err <<<'for (;;) console.log("x".repeat(1000))' &
pid=$!
exec 9<slow
sleep 0.7
kill -INT $pid
sleep 0.2
kill -INT $pid 2>/dev/null
for ((i = 0; i < 150; i++)); do kill -0 $pid 2>/dev/null || break; sleep 0.02; done
check "a reader that does not read holds nothing up" [ $i -lt 150 ]
wait $pid
exec 9<&-
check "a reader that does not read: nothing left" none_left
"$torno" run - 2>err <<<'for (let i = 0; i < 3000; i++) console.log("x".repeat(1000)); return "end"' |
    (sleep 1; cat) >out
status=${PIPESTATUS[0]}
check "a slow reader gets all of it" [ "$(wc -c <out)" = 3003004 ]
check "a slow reader: 0" is_status 0

# --- what a careless parent leaves behind
echo 'return (await tools["d.echo"]({ a: 1 })).data' >echo.js
timeout 20 "$TESTBIN/cli/blocked" "$torno" run --mcp d.json echo.js >out 2>err
status=$?
check "all signals blocked: 0" is_status 0
check "all signals blocked: its value" is_out '{"a":1}\n'
check "all signals blocked: nothing left" none_left
"$torno" run --mcp d.json echo.js >out 2>err <&-
status=$?
check "stdin is closed: its value" is_out '{"a":1}\n'
"$torno" run - >out 2>err <&-
status=$?
check "a script from a closed stdin: 2" is_status 2
check "a script from a closed stdin: told" has_err "<stdin> cannot be read"
(ulimit -n 8 && exec "$torno" run echo.js) >out 2>err
status=$?
check "8 descriptors: 2" is_status 2
check "8 descriptors: told" has_err "Too many open files"
(ulimit -f 0 && exec "$torno" run echo.js 2>&1) | cat >err
status=${PIPESTATUS[0]}
check "no file may be written: 3, not a signal" is_status 3
check "no file may be written: told" has_err "(ulimit -f)"
if (ulimit -v 20000000 && exec "$torno" --version) >out 2>/dev/null; then
    (ulimit -v 20000000 && exec "$torno" run echo.js) >out 2>err
    status=$?
    check "a limit on addresses: 3" is_status 3
    check "a limit on addresses: told" has_err "(ulimit -v)"
else
    echo "skipped: a limit on addresses (a build with sanitizers)"
fi
(ulimit -s 64 && exec "$torno" run --mcp d.json echo.js) >out 2>err
status=$?
check "a stack of 64 KiB is enough" is_out '{"a":1}\n'
(ulimit -s 48 && exec "$torno" run echo.js) >out 2>err
status=$?
check "a stack of 48 KiB: 2" is_status 2
check "a stack of 48 KiB: told" has_err "(ulimit -s) is 48 KiB"
(ulimit -n 20 && exec "$torno" run --mcp d.json echo.js) >out 2>err
status=$?
check "few descriptors: no success" [ "$status" != 0 ]
check "few descriptors: told" grep -qi "too many open files" err
check "few descriptors: nothing left" none_left
mkdir gone
(cd gone && rmdir ../gone && exec "$torno" run --mcp "$here/d.json" "$here/echo.js") >out 2>err
status=$?
check "a folder that is gone" is_out '{"a":1}\n'
env -i "$torno" run --mcp d.json echo.js >out 2>err
check "an empty environment" is_out '{"a":1}\n'
(trap '' HUP; exec "$torno" run --mcp d.json - <<<'console.log("up"); await tools["d.sleep"]()' >out 2>err) &
pid=$!
sleep 0.4
kill -HUP $pid
sleep 0.2
check "SIGHUP under nohup is ignored" kill -0 $pid
kill -INT $pid
wait $pid

# --- a helper that is there and says nothing keeps no run from its end
mkdir mute
cp bin/torno mute/
printf '#!/bin/sh\nexec sleep 100\n' >mute/torno-warden
chmod 755 mute/torno-warden
mute/torno run --limit lifetime=1s echo.js >out 2>err
status=$?
check "run, a mute helper: 4" is_status 4
check "run, a mute helper: told" has_err "before it began"

# --- stdout and stdin are sockets, as node gives them to its children
cat >spawn.mjs <<'J'
import { spawn } from "node:child_process";
const child = spawn(process.argv[2], ["run", "-"]);
let n = 0;
child.stdout.on("data", (part) => { n += part.length; });
child.stdin.end('for (let i = 0; i < 3000; i++) console.log("x".repeat(1000)); return "end"');
child.on("close", (status) => console.log(n, status));
J
node spawn.mjs "$torno" >out 2>err
check "sockets: all of it" is_out '3003004 0\n'

# --- the live line, on a terminal
if command -v script >/dev/null 2>&1; then
    echo 'await tools["d.echo"](); try { await tools["d.sleep"]() } catch {} return "value"' >wait.js
    TERM=xterm command script -qec "$torno run --limit call_timeout=1200ms --mcp d.json wait.js" /dev/null >out 2>err </dev/null
    check "live: calls and time" grep -q 'torno: 2 calls made, 1 running, 0\.[0-9] s' out
    check "live: taken away before the value" grep -q $'\r\033\[Kvalue' out
    TERM=dumb command script -qec "$torno run --limit call_timeout=1200ms --mcp d.json wait.js" /dev/null >out 2>err </dev/null
    check "live: not on a dumb terminal" [ "$(grep -c 'call made' out)" = 0 ]
    "$torno" run --limit call_timeout=1200ms --mcp d.json wait.js >out 2>err
    printf 'text("red \x1b[31m\u009b1m\u202e")' >esc.js
    TERM=xterm command script -qec "$torno run esc.js" /dev/null >out 2>err </dev/null
    check "a terminal gets no escape codes of the script's" [ "$(grep -c "$(printf '\033\[31m')" out)" = 0 ]
    check "a terminal gets the rest" has_out "red"
    "$torno" run esc.js >out 2>err
    check "a file gets all of it" [ "$(grep -c "$(printf '\033\[31m')" out)" = 1 ]
    check "live: not without a terminal" [ "$(grep -c made err)" = 0 ]
else
    echo "skipped: the live line (no program script here)"
fi
finish
