#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# The demo (make demo): one script against three real MCP servers, its answer checked. What it
# writes goes into a folder that is removed at the end. Fails where anything differs.
set -euo pipefail
DEMO_FOLDER=$(cd "$(dirname "$0")" && pwd -P)
torno=${TORNO:-$DEMO_FOLDER/../build/torno}
DEMO_DESK=$(mktemp -d "${TMPDIR:-/tmp}/torno-demo.XXXXXX")
DEMO_DESK=$(cd "$DEMO_DESK" && pwd -P)
export DEMO_FOLDER DEMO_DESK
trap 'rm -rf "$DEMO_DESK"' EXIT

[ -x "$torno" ] || { echo "demo: $torno is not built; run make first" >&2; exit 2; }
[ -d "$DEMO_FOLDER/node_modules" ] || { echo "demo: its servers are not installed; run tools/setup build" >&2; exit 2; }

echo "torno run --mcp demo/servers.json --json demo/demo.js"
status=0
"$torno" run --mcp "$DEMO_FOLDER/servers.json" --json "$DEMO_FOLDER/demo.js" >"$DEMO_DESK/run.json" || status=$?
if [ $status -ne 0 ]; then
    echo "demo: the run ended with status $status" >&2
    exit 1
fi
node "$DEMO_FOLDER/check.mjs" "$DEMO_DESK/run.json" "$DEMO_DESK"
echo
echo "demo: passed"
