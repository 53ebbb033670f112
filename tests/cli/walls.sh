#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# What the kernel says of a cell that waits, and what a cell asks of the kernel after its lock.
# shellcheck source=tests/cli/lib.bash
. "$(dirname "$0")/lib.bash"
config d.json d=

"$torno" run --mcp d.json - >out 2>err <<<'console.log("up"); await tools["d.sleep"]()' &
pid=$!
for ((i = 0; i < 250; i++)); do [ -s out ] && break; sleep 0.02; done
# The cell is the process under torno whose filter is up; there may be a ready one beside it.
cells=$(grep -l '^Seccomp:	2$' /proc/[0-9]*/status 2>/dev/null | cut -d/ -f3 | while read -r p; do
    up=$p
    while [ "${up:-0}" -gt 1 ]; do
        [ "$up" = $pid ] && { echo "$p"; break; }
        up=$(sed -n 's/^PPid:\t//p' "/proc/$up/status" 2>/dev/null)
    done
done)
check "a cell with its filter up runs under torno" [ -n "$cells" ]
run --version 2>/dev/null
tier=$(sed -n 's/^walls: tier \(.\).*/\1/p' out)
for cell in $cells; do
    cp "/proc/$cell/status" err
    check "Seccomp 2" grep -q '^Seccomp:	2$' err
    check "NoNewPrivs 1" grep -q '^NoNewPrivs:	1$' err
    check "no capability" [ "$(grep -cE '^Cap(Inh|Prm|Eff|Amb):	0+$' err)" = 4 ]
    check "one thread" grep -q '^Threads:	1$' err
    if [ "$tier" = A ]; then
        check "pid 1 of a namespace of its own" grep -qE '^NSpid:	.*	1$' err
    fi
done
kill -INT $pid
wait $pid
check "nothing left" none_left

# Root's warden starts its zygote under another user id: a program for root alone is told.
if [ "$(id -u)" = 0 ] && [ "$tier" = A ]; then
    chmod 700 bin/torno-warden
    run run - # stdin is empty
    chmod 755 bin/torno-warden
    check "a warden for root alone: 3" is_status 3
    check "a warden for root alone: told" has_err "chmod 755"
fi

# After its own filter is up, a cell may make these calls alone.
if command -v strace >/dev/null 2>&1; then
    cat >work.js <<'J'
const big = [];
for (let i = 0; i < 200; i++) big.push("x".repeat(10000 + i));
console.log(new Date().getFullYear() > 2000, Math.random() < 1);
const all = await Promise.all(Array.from({ length: 50 }, (_, i) => tools["d.echo"]({ i, text: "y".repeat(3000) })));
try { JSON.parse("[".repeat(200000)) } catch (e) { console.log(e.name) }
return all.length;
J
    # A leak check cannot run under strace; it is off in a build without sanitizers anyway.
    ASAN_OPTIONS=detect_leaks=0 strace -f -qq -o trace "$torno" run --mcp d.json work.js >out 2>err </dev/null
    status=$?
    check "the script ran under strace" is_status 0
    # Per process: what follows its last installed filter. Lines of a call that was cut in two by
    # another process begin with "<...", and count once.
    awk '
        { pid = $1; rest = substr($0, length($1) + 1); sub(/^ +/, "", rest) }
        rest ~ /^seccomp\(SECCOMP_SET_MODE_FILTER, .*filter=/ { locked[pid] = 1; next }
        !(pid in locked) || rest ~ /^(<\.\.\.|\+\+\+|---)/ { next }
        { split(rest, name, "("); print name[1] }
    ' trace | sort | uniq -c >calls
    cp calls err
    check "cells made calls after the lock" [ "$(grep -cwE 'read|write' calls)" -ge 2 ]
    check "cells made no other calls" \
        [ -z "$(awk '{ print $2 }' calls | grep -vxE 'read|write|mprotect|rt_sigprocmask|rt_sigreturn|clock_gettime|exit_group')" ]
    awk '
        { pid = $1 }
        /seccomp\(SECCOMP_SET_MODE_FILTER, .*filter=/ { locked[pid] = 1; next }
        (pid in locked) && /mprotect\(/ && /PROT_EXEC/ { print }
    ' trace >err
    check "nothing is made executable" [ ! -s err ]
else
    echo "skipped: the calls after the lock (no strace here)"
fi
finish
