#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# kill -9 of torno at random moments: neither warden nor cell nor server nor anything that a
# server started is left. TRIES=N for more than 50.
# shellcheck source=tests/cli/lib.bash
. "$(dirname "$0")/lib.bash"
RANDOM=${SEED:=$$}
config c.json a= b=stubborn "c=child=$here/child"
cp "$double" bin/stray
cat >tree.json <<J
{ "mcpServers": { "tree": { "command": "/bin/sh", "args": ["-c", "setsid $here/bin/stray deaf & $here/bin/stray deaf & exec $double"] } } }
J
cat >busy.js <<'J'
const calls = () => Promise.allSettled(["a.echo", "b.echo", "c.echo", "tree.echo", "a.sleep"].map((name) => tools[name]({})));
calls();
for (let i = 0; i < 300; i++) await tools["a.echo"]({ i });
for (;;);
J

for ((try = 1; try <= ${TRIES:-50}; try++)); do
    # Half of them while everything starts.
    ms=$((try % 2 == 0 ? RANDOM % 40 : RANDOM % 300))
    "$torno" run --mcp c.json --mcp tree.json busy.js >out 2>err &
    pid=$!
    sleep "$(printf '0.%03d' $ms)"
    kill -9 $pid 2>/dev/null
    wait $pid 2>/dev/null
    check "kill -9 after $ms ms (try $try, SEED=$SEED)" none_left
done

# The same where torno is in the middle of ending.
for ((try = 1; try <= 5; try++)); do
    "$torno" run --mcp c.json --mcp tree.json busy.js >out 2>err &
    pid=$!
    sleep 0.25
    kill -INT $pid
    sleep 0.0$((try * 2))
    kill -9 $pid 2>/dev/null
    wait $pid 2>/dev/null
    check "kill -9 while it ends (try $try)" none_left
done
finish
