#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# `torno doctor`: its text, its object, helpers that are missing, mute or of another version, and
# machines that lack a wall, emulated.
root=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=tests/cli/lib.bash
. "$(dirname "$0")/lib.bash"
refuse=$TESTBIN/cli/refuse

# doctor [COMMAND...] -- ARGS: torno doctor run by the command.
doctor() {
    local by=()
    while [ "$1" != -- ]; do by+=("$1"); shift; done
    shift
    "${by[@]}" "$torno" doctor "$@" >out 2>err </dev/null
    status=$?
}
probe_is() { json_is "o.probes.find((p) => p.name === '$1').$2" "$3"; }
probe_has() { json "o.probes.find((p) => p.name === '$1').$2" | grep -qF -e "$3"; }
row_is() { grep -qE "^$1 +$2 " out; }

# A helper that probes and then is mute takes the longest: beside the others, looked at last.
mkdir -p slow/bin
cp "$torno" slow/bin/torno
cp "$here/bin/torno-warden" slow/real
printf '#!/bin/sh\n[ "$1" = --probe ] && exec "%s/slow/real" --probe\nexec sleep 86398\n' "$here" >slow/bin/torno-warden
chmod +x slow/bin/torno-warden
(cd slow && exec bin/torno doctor --json >out 2>err </dev/null) &
slow=$!

# --- a machine with everything
run doctor
check "green" grep -q '^green: a script ran behind these walls' out
check "green: 0" is_status 0
check "a line has a verdict, or is what to change" [ "$(grep -cvE '^(ok|weak|bad|info) |^      to change: |^(green|red): |^torno |^$' out)" = 0 ]
check "stderr stays empty" is_quiet
check "the escapes are counted" grep -qE '^ok +escapes +all 1[0-9][0-9] that were tried' out
run doctor --json
check "one line" [ "$(wc -l <out)" = 1 ]
check "green as JSON" json_is 'o.ok && o.sentence === "" && o.first_call_us > 0' true
check "the tier that run has" [ "$(json o.tier)" = "$("$torno" --version | sed -n 's/^walls: tier \(.\).*/\1/p')" ]
check "walls" json_is '["seccomp", "no_new_privs", "no_caps"].every((w) => o.walls.includes(w))' true
check "paths and versions" json_is '[o.program, o.helper.path, o.helper.version === o.version, o.helper.protocol === o.protocol].join()' "$torno,$here/bin/torno-warden,true,true"
check "each escape was stopped as it should be" json_is 'o.attempts.length > 100 && o.attempts.every((a) => a.is_stopped && a.wants.split(" ").includes(a.result))' true
check "memory" json_is 'o.memory.total_bytes > o.memory.available_bytes && o.memory.script_bytes === 134217728' true
check "probes that say yes have no cause" json_is 'o.probes.every((p) => p.verdict !== "ok" || (p.cause === "" && p.advice === ""))' true
# shellcheck disable=SC2016 # JavaScript
json 'const keys = new Set(), look = (v) => { if (Array.isArray(v)) v.forEach(look); else if (v && typeof v === "object") for (const k in v) { keys.add(k); look(v[k]) } }; look(o); [...keys].sort().join("\n")' >keys
sed -n '/^\.Sh THE OBJECT OF doctor/,/^\.Sh SCRIPTS/p' "$root/man/torno.1" | sed -nE 's/^\.(It )?Va //p' | tr -d ',.' | tr ' ' '\n' | grep . | LC_ALL=C sort -u >told
LC_ALL=C sort -u keys >have
check "the manual tells its keys, and no others" diff have told

# --- helpers
helper=$here/bin/torno-warden
mv "$helper" real
run doctor
check "missing: 1" is_status 1
check "missing: red, with where it belongs" grep -q "^red: .*helper torno-warden is missing: it belongs in $here/bin/" out
run doctor --json
check "missing: an object all the same" json_is '[o.ok, o.tier, o.helper.path, o.probes.length, o.attempts.length].join()' 'false,,,0,0'

printf '#!/bin/sh\nexec sleep 86399\n' >"$helper"
chmod +x "$helper"
before=$SECONDS
run doctor
check "mute: 1" is_status 1
check "mute: told" grep -q '^red: .*said nothing for 3 seconds, and was ended' out
check "mute: waited for a few seconds" [ $((SECONDS - before)) -lt 20 ]
check "mute: ended" [ -z "$(pgrep -f 'sleep 86399')" ]
printf '#!/bin/sh\nif [ "$1" = --probe ]; then "%s/real" --probe | sed s/^version=.*/version=0.0.1/; exit; fi\nexec "%s/real" "$@"\n' "$here" "$here" >"$helper"
run doctor
check "another version: weak, with both" grep -qE "^weak +helper +.*is of version 0.0.1, torno of [0-9]" out
check "another version: what to change" grep -q 'to change: *install torno and its helper together' out
check "another version: the script decides" is_status 0
# One that does not know --attempts: scripts run there, and what nobody has tried is not green.
printf '#!/bin/sh\ncase "$*" in *--attempts*) exit 2 ;; esac\nexec "%s/real" "$@"\n' "$here" >"$helper"
run doctor
check "no attempts: red" grep -q '^red: .*the escapes could not be tried: the warden is gone (status 2)' out
check "no attempts: 1" is_status 1
# One whose cells run scripts where they should try: no answer is a stop.
printf '#!/bin/sh\n[ "$1" = --probe ] && exec "%s/real" --probe\nexec "%s/real" "$1" "$2"\n' "$here" "$here" >"$helper"
run doctor
check "not stopped: 1" is_status 1
check "not stopped: each by its name" grep -qE '^bad +escapes +vsock was not stopped by the filter: to make a socket to the hypervisor .wants SIGSYS, came to failed.' out
check "not stopped: in the last line" grep -q '^red: .*escapes that were not stopped: open, open_old, .*, and 1[0-9][0-9] more$' out
rm "$helper"
mv real "$helper"

# --- a kernel without Landlock
doctor "$refuse" landlock -- --json
check "no Landlock: weak" probe_is landlock verdict weak
check "no Landlock: cause" probe_has landlock cause "built without it"
check "no Landlock: advice" probe_has landlock advice "CONFIG_SECURITY_LANDLOCK"
check "no Landlock: green, and not claimed" json_is '[o.ok, o.walls.includes("landlock"), o.notice.includes("no Landlock")].join()' true,false,true
doctor "$refuse" landlock --
check "no Landlock: text" grep -q '^weak  landlock     no ENOSYS: ' out

# --- a container's filter: no namespaces
doctor "$refuse" namespaces -- --json
tier=$([ "$(id -u)" = 0 ] && echo B || echo C)
check "container: tier $tier" json_is '[o.ok, o.tier].join()' "true,$tier"
check "container: userns" probe_is userns result "no EPERM"
check "container: clone" probe_is namespaces result "no EPERM"
check "container: what comes after is untried" probe_is mounts verdict untried
check "container: the tier otherwise is told" probe_has userns advice "tier A; without it there is tier B as root, tier C as another user"
check "container: no pid namespace" json_is 'o.walls.includes("pid_ns")' false

# --- inherited limits
if (ulimit -v 100000000 && "$torno" --help >/dev/null 2>&1); then
    # shellcheck disable=SC2016 # expanded inside
    doctor sh -c 'ulimit -v 100000000 && exec "$@"' sh --
    check "ulimit -v: 1" is_status 1
    check "ulimit -v: bad" row_is bad "ulimit -v"
    check "ulimit -v: what to change" grep -q 'to change: *ulimit -v unlimited' out
    check "ulimit -v: no tier is told" [ "$(grep -cE '^[a-z]+ +(tier|walls|notice) ' out)" = 0 ]
    # shellcheck disable=SC2016
    doctor sh -c 'ulimit -d 100000 && exec "$@"' sh --
    check "ulimit -d: weak, and green" row_is weak "ulimit -d"
    check "ulimit -d: green" is_status 0
else
    echo "skipped: limits on memory (a build with sanitizers)"
fi

# --- no filters at all
doctor "$refuse" seccomp --
check "no seccomp: 1" is_status 1
check "no seccomp: bad" row_is bad seccomp
check "no seccomp: red" grep -q '^red: no script can run safely here' out
doctor "$refuse" seccomp -- --json
check "no seccomp: no tier claims a filter" json_is '[o.ok, o.walls.includes("seccomp"), o.attempts.length].join()' false,false,0

# --- user namespaces switched off, and an ordinary user
if unshare -Ur true 2>/dev/null; then
    # shellcheck disable=SC2016 # expanded inside
    doctor unshare -Ur sh -c 'echo 0 >/proc/sys/user/max_user_namespaces && exec "$@"' sh -- --json
    check "none allowed: userns" probe_is userns result "no ENOSPC"
    check "none allowed: cause" probe_has userns cause "user.max_user_namespaces is 0"
    check "none allowed: advice" probe_has userns advice "sysctl -w user.max_user_namespaces=15000"
    check "none allowed: still green" json_is '[o.ok, o.tier !== "A"].join()' true,true
else
    echo "skipped: user.max_user_namespaces=0 (no user namespaces here)"
fi
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    open=$(mktemp -d /tmp/torno-doctor.XXXXXX)
    trap 'rm -rf "$here" "$open"' EXIT
    chmod 755 "$open"
    cp -r bin "$open"
    cp "$refuse" "$open"
    chmod -R a+rX "$open"
    user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
    torno=$open/bin/torno doctor "${user[@]}" -- --json
    check "a user: green" json_is '[o.ok, o.facts.user].join()' true,65534
    check "a user: chroot is not for it" probe_is chroot verdict untried
    torno=$open/bin/torno doctor "${user[@]}" "$open/refuse" namespaces -- --json
    check "a user in a container: tier C" json_is '[o.ok, o.tier, o.attempts.length > 100].join()' true,C,true
else
    echo "skipped: as an ordinary user (not root, or no setpriv)"
fi

# --- mute as a host's helper
wait $slow
status=$?
cp slow/out slow/err .
check "mute as a host's helper: 1" is_status 1
check "mute as a host's helper: told" json_is '[o.ok, o.tier, /said nothing|hangs/.test(o.sentence)].join()' 'false,,true'
check "mute as a host's helper: the probe is told" probe_is seccomp result yes
check "mute as a host's helper: ended" [ -z "$(pgrep -f 'sleep 86398')" ]
check "nothing left" none_left
finish
