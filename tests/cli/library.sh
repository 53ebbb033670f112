#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# The installed library as its users have it: the header alone as C and C++, the names that both
# libraries give out, pkg-config, the examples, and a program that knows nothing of libuv.
# shellcheck source=tests/cli/lib.bash
. "$(dirname "$0")/lib.bash"
root=$OLDPWD
stage=$root/build/stage
header=$stage/include/torno.h
touch out err

# --- the header
echo '#include <torno.h>' >alone.c
cp alone.c alone.cc
compiles() { "$@" >out 2>err; }
for std in c17 c2x c99; do
    check "the header alone as $std" compiles gcc -std=$std -pedantic -Wall -Wextra -Werror -I"$stage/include" -fsyntax-only alone.c
done
for std in c++17 c++20; do
    check "the header alone as $std" compiles g++ -std=$std -pedantic -Wall -Wextra -Werror -I"$stage/include" -fsyntax-only alone.cc
done
check "the header includes nothing but stdbool, stddef and stdint" \
    [ "$(grep -o '^#include <.*>' "$header" | sort | tr '\n' ' ')" = "#include <stdbool.h> #include <stddef.h> #include <stdint.h> " ]

# --- names
tr '\n' ' ' <"$header" | grep -oE 'TORNO_API[^;(]*\(' | grep -oE 'torno_[a-z_]+\($' | tr -d '(' | sort >names
check "the header declares functions" [ "$(wc -l <names)" -gt 30 ]
nm -D --defined-only "$stage/lib/libtorno.so" | awk '$2 == "T" { print $3 }' | sed 's/@.*//' | sort >shared
check "the shared library gives out the header's names, and no others" diff names shared
nm -g --defined-only "$stage/lib/libtorno.a" | awk 'NF == 3 { print $3 }' | sort >static
check "the static library gives out the header's names, and no others" diff names static
sed -n 's/^    \(torno_[a-z_]*\);$/\1/p' "$root/include/torno.map" | sort >map
check "the list of names is the header's" diff names map
grep -oE '^\.Fn torno_[a-z_]+' "$root/man/libtorno.3" | awk '{ print $2 }' | sort -u >told
check "the manual tells every function, and no others" diff names <(grep -E . told)

# --- pkg-config
export PKG_CONFIG_PATH=$stage/lib/pkgconfig
check "pkg-config: version" [ "$(pkg-config --modversion torno)" = "$("$torno" --version | sed -n '1s/^torno \([0-9.]*\).*/\1/p')" ]
check "pkg-config: no word of libuv for the shared library" [ "$(pkg-config --libs torno | grep -c uv)" = 0 ]
check "pkg-config: libuv for the static one" [ "$(pkg-config --static --libs torno | grep -c uv)" = 1 ]

# --- the smallest program, from the manual alone
cat >small.c <<'END'
#include <torno.h>
#include <stdio.h>
#include <string.h>
static void on_ended(void *arg, struct torno_script *script, const struct torno_ending *ending)
{
    (void)arg;
    (void)script;
    printf("%s %.*s\n", ending->kind, (int)ending->value.len, ending->value.ptr);
}
int main(void)
{
    struct torno_run_options options = TORNO_RUN_OPTIONS;
    struct torno_script *script;
    struct torno_host *host;
    if (torno_host_new(NULL, &host) < 0) {
        fprintf(stderr, "%s\n", torno_error());
        return 1;
    }
    options.code = "return 6 * 7";
    options.code_len = strlen(options.code);
    options.on_ended = on_ended;
    if (torno_run(host, &options, &script) < 0) {
        fprintf(stderr, "%s\n", torno_error());
        return 1;
    }
    torno_host_run(host);
    torno_script_free(script);
    torno_host_free(host);
    return 0;
}
END
# shellcheck disable=SC2046 # flags
check "a small program builds" compiles gcc -Wall -Wextra -Werror small.c $(pkg-config --cflags --libs torno) -Wl,-rpath,"$stage/lib" -o small
./small >out 2>err
status=$?
check "a small program: its value" is_out 'finished 42\n'
env -i ./small >out 2>err
check "without an environment too" is_out 'finished 42\n'
cp -r "$stage" moved
# shellcheck disable=SC2046
gcc small.c -Imoved/include -Lmoved/lib -ltorno -Wl,-rpath,"$here/moved/lib" -o small-moved
./small-moved >out 2>err
check "an installation that was moved" is_out 'finished 42\n'
rm moved/libexec/torno/torno-warden
./small-moved >out 2>err
status=$?
check "no helper: its status" is_status 1
check "no helper: told" has_err 'torno-warden is missing'
check "nothing is left" none_left

# --- the examples
"$root/examples/run" "$stage" >out 2>err
status=$?
check "the examples say what they should" is_status 0
if [ $status != 0 ]; then cat out err; fi

finish
