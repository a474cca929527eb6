#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# libxentrace for external programs: install the library, headers and pkg-config
# file, and compile and run the example of libxentrace(3) with only these.
set -u
# shellcheck source=tests/diff/lib.sh
. "$top_srcdir/tests/diff/lib.sh"

fail()
{
    echo "library: $*"
    exit 1
}

command -v pkg-config >/dev/null || {
    echo 'pkg-config is not installed'
    exit 77
}

place=$scratch/place
make -s -C "$top_builddir" DESTDIR="$place" \
    install-libraries install-pkgconfigDATA install-xtlibHEADERS \
    install-nodist_xtlibHEADERS install-xtcommonHEADERS \
    install-xtpublicHEADERS >"$scratch/log" 2>&1 || {
    cat "$scratch/log"
    fail 'cannot be installed'
}
pc=$(find "$place" -name xentrace.pc)
[ -n "$pc" ] || fail 'xentrace.pc was not installed'
export PKG_CONFIG_PATH="${pc%/*}" PKG_CONFIG_SYSROOT_DIR="$place"
flags=$(pkg-config --cflags --libs xentrace) ||
    fail 'pkg-config does not find xentrace'

# The example as in the man page.
sed -n '/^\.\\" The example begins/,/^\.\\" The example ends/p' \
    "$top_srcdir/man/libxentrace.3" |
    sed -e '/^\./d' -e 's/\\e/\\/g' -e 's/\\-/-/g' >"$scratch/example.c"
grep -q main "$scratch/example.c" || fail 'libxentrace(3) has no example'

# shellcheck disable=SC2086 # words are meant to split
$cc -std=gnu11 -Wall -Wextra -Werror $cflags "$scratch/example.c" \
    -o "$scratch/example" $flags || fail 'the example does not compile'

# Each installed header compiles alone.
headers=$(dirname "$(find "$place" -name libxentrace.h)")
for header in "$headers"/*.h; do
    echo "#include <libxentrace/$(basename "$header")>" >"$scratch/one.c"
    # shellcheck disable=SC2086
    $cc -std=gnu11 -Wall -Wextra -Werror -fsyntax-only "$scratch/one.c" \
        $(pkg-config --cflags xentrace) ||
        fail "$(basename "$header") does not compile alone"
done

# Two windows: pcpu 0 at 1000 and 3400, pcpu 1 at 2200 and without a time stamp.
word()
{
    for value; do
        printf '%b' "$(printf '\\%03o\\%03o\\%03o\\%03o' \
            $((value & 255)) $((value >> 8 & 255)) \
            $((value >> 16 & 255)) $((value >> 24 & 255)))"
    done
}
{
    word 0x2001f003 0 24
    word 0x80021011 1000 0 0x80021011 3400 0
    word 0x2001f003 1 16
    word 0x80021011 2200 0 0x00021011
} >"$scratch/trace"
printf 'pcpu 0: 2 records\npcpu 1: 2 records\n1000 ns\n' >"$scratch/expected"

library=$(dirname "$(find "$place" -name 'libxentrace.so')")
export LD_LIBRARY_PATH="$library"
"$scratch/example" "$scratch/trace" >"$scratch/got" || fail 'the example fails'
diff "$scratch/expected" "$scratch/got" || fail "the example's output is wrong"
"$scratch/example" - <"$scratch/trace" >"$scratch/got" &&
    diff "$scratch/expected" "$scratch/got" || fail 'wrong output for a pipe'
if "$scratch/example" "$scratch/none" 2>"$scratch/got"; then
    fail 'the example accepts a missing file'
fi
grep -q none "$scratch/got" || fail 'the message does not name the file'

# Only xt_* symbols are exported.
nm -D --defined-only "$library/libxentrace.so" |
    awk '$2 ~ /[A-Z]/ && $3 !~ /^(xt_|_init$|_fini$|__asan|__odr|__tsan)/' \
    >"$scratch/others"
[ ! -s "$scratch/others" ] || {
    cat "$scratch/others"
    fail 'exports internal symbols'
}
