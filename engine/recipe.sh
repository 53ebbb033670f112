#!/bin/sh
# SPDX-License-Identifier: MIT
#
# recipe.sh MODULE OUT [own]: checks the WebAssembly module and makes OUT/quickjs.c and
# OUT/quickjs.h of it. The pinned module is known by its sha256, a module of the
# user's own ("own") by what it exports. Run from the project's root. Fails loudly where wasm2c's output does not
# look as expected: what is replaced below is the safety of every script.
set -eu

module=$1
out=$2
sum=c0bd8f296e18cf074969f6401b9ecb72609a1323818ec2b9bf7a8f8d740d1363

fail() {
    echo "engine/recipe.sh: $*" >&2
    exit 1
}

[ -f "$module" ] || fail "$module is missing; run tools/setup build"
command -v wasm2c >/dev/null || fail "wasm2c is missing; install Debian's wabt"
if [ "${3:-}" != own ]; then
    have=$(sha256sum "$module" | cut -d' ' -f1)
    [ "$have" = $sum ] || fail "$module has sha256 $have, not $sum"
fi

mkdir -p "$out"
wasm2c -n quickjs "$module" -o "$out/raw.c" || fail "wasm2c could not translate $module"

# Every function that the binding calls, as qjs(NAME, ...), must be exported.
for name in $(grep -oh '\bqjs([A-Za-z_0-9]*' src/cell/engine*.[ch] | cut -d'(' -f2 | sort -u); do
    [ "$name" = name ] || grep -q "Z_quickjsZ_$name(" "$out/raw.h" ||
        fail "$module does not export $name"
done

# expect N PATTERN: the pattern stands on exactly N lines of the output.
expect() {
    have=$(grep -c -- "$2" "$out/raw.c") || true
    [ "$have" = "$1" ] || fail "expected $1 lines like '$2' in wasm2c's output, found $have"
}
expect 1 '^#define FUNC_PROLOGUE$'
expect 1 '^#define FUNC_EPILOGUE$'
expect 2 '^    wasm_asm("" ::"r"(result)); *\\$'
expect 2 '&mem->data\[addr\]'
expect 1 'wasm_rt_allocate_memory(&instance->w2c_memory, '
grep -q '^  u32 w2c___stack_pointer;$' "$out/raw.h" || fail "the stack pointer is not a global"
prologues=$(grep -c '^  FUNC_PROLOGUE;$' "$out/raw.c")
epilogues=$(grep -c '^  FUNC_EPILOGUE;$' "$out/raw.c")
[ "$prologues" = "$epilogues" ] && [ "$prologues" -gt 1000 ] ||
    fail "$prologues prologues, but $epilogues epilogues"

# QuickJS marks every InternalError as one that no script can catch, out of memory among
# them. Only an interrupt shall be, and that marks its own.
setter='^  w2c_f[0-9]*(instance, w2c_j0);$'
internal='/^static u64 w2c_JS_ThrowInternalError(.*{$/,/^}/'
marks=$(sed -n "$internal"p "$out/raw.c" | grep -c "$setter") || true
[ "$marks" = 1 ] || [ "${3:-}" = own ] || fail "expected 1 mark in JS_ThrowInternalError, found $marks"

# Where QuickJS makes an error of its own and has no memory for it, it throws null. That place
# is what JS_ThrowInternalError calls, one step further; it shall ask engine_error_begins()
# first, and throw what engine_error_instead() gives in the place of null.
body() {
    sed -n "/^static [a-z0-9]* w2c_$1(.*{\$/,/^}/p" "$out/raw.c"
}
step=$(body JS_ThrowInternalError | sed -n 's/^  \(w2c_f[0-9]*\)(instance, w2c_i0, w2c_i1, w2c_i2, w2c_i3);$/\1/p')
thrower=$(body "${step#w2c_}" | sed -n 's/^  \(w2c_f[0-9]*\)(instance,.*w2c_i4);$/\1/p')
[ "$(body "${thrower#w2c_}" | grep -c '^    w2c_j1 = 8589934592ull;$\|^static void \|w2c_JS_Throw(')" = 3 ] ||
    fail "the function that throws QuickJS's own errors is not where it was"
throws="/^static void $thrower(.*{\$/,/^}/"

# The toll; no barrier after loads; memory where shape.h says.
sed -e 's|^#define FUNC_PROLOGUE$|#define FUNC_SHAPE\n#include "engine/shape.h"|' \
    -e '/^#define FUNC_EPILOGUE$/d' \
    -e '/^    wasm_asm("" ::"r"(result)); *\\$/d' \
    -e 's|&mem->data\[addr\]|\&ENGINE_MEMORY(mem)[addr]|' \
    -e "$internal{/$setter/d}" \
    -e "$throws{s/^  FUNC_PROLOGUE;/  FUNC_PROLOGUE;\n  ENGINE_ERROR_BEGINS(instance, w2c_p0, w2c_p1);/}" \
    -e "$throws{s/^    w2c_j1 = 8589934592ull;/    w2c_j1 = engine_error_instead();/}" \
    -e "$throws{s/^  FUNC_EPILOGUE;/  engine_error_ends();\n  FUNC_EPILOGUE;/}" \
    -e 's|^#include "raw.h"$|#include "quickjs.h"|' \
    "$out/raw.c" >"$out/quickjs.c"
mv "$out/raw.h" "$out/quickjs.h"
rm "$out/raw.c"
