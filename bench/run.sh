#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# The bench (make bench): what bench needs to find, from wherever it is started.
set -euo pipefail
cd "$(dirname "$0")/.."
[ -d bench/node_modules ] || { echo "bench: what it compares with is not installed; run tools/setup bench" >&2; exit 2; }
exec build/bench/bench build bench/child.mjs build/bench.json "${ROUNDS:-20}"
