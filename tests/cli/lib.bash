# SPDX-License-Identifier: MIT
#
# Shared by the suites of the command (tests/cli/*.sh), which are run by tests/run with BIN and
# TESTBIN set. Each suite works in a scratch folder of its own that holds copies of the programs,
# so that whatever it started can be found again by the path of its program.
set -u
BIN=${BIN:?run through tests/run}
TESTBIN=${TESTBIN:?run through tests/run}
here=$(mktemp -d "${TMPDIR:-/tmp}/torno-cli.XXXXXX")
here=$(cd "$here" && pwd -P)
trap 'rm -rf "$here"' EXIT
mkdir "$here/bin"
cp -L "$BIN/torno" "$BIN/torno-warden" "$here/bin/"
cp "$TESTBIN/e2e/double" "$here/bin/double"
torno=$here/bin/torno
double=$here/bin/double
cd "$here" || exit 2

passed=0
failed=0
status=0
ok() { passed=$((passed + 1)); }
bad() {
    failed=$((failed + 1))
    printf 'FAIL %s\n' "$1"
    shift
    [ $# -eq 0 ] || printf '%s\n' "$@" | sed 's/^/     /'
}

# check NAME COMMAND...: passes where the command succeeds; shows the last run where it does not.
check() {
    local name=$1
    shift
    if "$@"; then
        ok
    else
        bad "$name" "status $status" "stdout: $(head -c 600 out)" "stderr: $(head -c 600 err)"
    fi
}

# run ARGS...: torno with these; leaves the files out and err, and status.
run() {
    "$torno" "$@" >out 2>err </dev/null
    status=$?
}

# script ARGS... with the script on stdin.
script() {
    "$torno" run "$@" - >out 2>err
    status=$?
}

is_status() { [ "$status" = "$1" ]; }
is_out() { [ "$(cat out; echo x)" = "$(printf '%b' "$1"; echo x)" ]; }
has_out() { grep -qF -e "$1" out; }
has_err() { grep -qF -e "$1" err; }
is_quiet() { [ ! -s err ]; }
one_line() { [ "$(wc -l <err)" = 1 ]; }

# The last run's JSON object: json EXPRESSION, where o is the object; prints its value.
json() { node -e 'const o = JSON.parse(require("fs").readFileSync("out", "utf8")); console.log(eval(process.argv[1]))' "$1"; }
json_is() { [ "$(json "$1" 2>&1)" = "$2" ]; }

# Processes of ours that still run, by the program they run; as root that finds all of them,
# cells included.
survivors() { find /proc/[0-9]* -maxdepth 1 -name exe -lname "$here/*" 2>/dev/null | cut -d/ -f3 | tr '\n' ' '; }

# Waits up to 5 s until none is left.
none_left() {
    local i
    for ((i = 0; i < 250; i++)); do
        [ -z "$(survivors)" ] && return 0
        sleep 0.02
    done
    echo "left over: $(for p in $(survivors); do printf '%s (%s) ' "$p" "$(tr '\0' ' ' <"/proc/$p/cmdline" 2>/dev/null)"; done)" >>err
    # shellcheck disable=SC2046 # a list of numbers
    kill -9 $(survivors) 2>/dev/null
    return 1
}

# config FILE NAME=WORDS...: writes a config of doubles that behave so.
config() {
    local file=$1 comma='' one
    shift
    {
        echo '{ "mcpServers": {'
        for one in "$@"; do
            printf '%s"%s": { "command": "%s", "args": [%s] }\n' "$comma" "${one%%=*}" "$double" \
                "$(printf '%s' "${one#*=}" | sed 's/[^ ][^ ]*/"&"/g; s/ /, /g')"
            comma=','
        done
        echo '} }'
    } >"$file"
}

finish() {
    echo "$passed passed, $failed failed"
    [ "$failed" = 0 ]
}
