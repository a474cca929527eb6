#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What somebody else's program sees: library, headers and pkg-config file are
# installed somewhere, and examples/sample is made by its own Makefile from
# nothing but those and tracetool.  Each header stands alone, in C and in C++.
set -u
# shellcheck source=tests/usertrace/lib.sh
. "$top_srcdir/tests/usertrace/lib.sh"

command -v pkg-config >/dev/null || skip 'pkg-config is not installed'
unset MAKEFLAGS MAKELEVEL MFLAGS
place=$scratch/place
make -s -C "$top_builddir" DESTDIR="$place" install-libLTLIBRARIES \
    install-pkgconfigDATA install-uttraceHEADERS install-xtcommonHEADERS \
    install-binPROGRAMS \
    >log 2>&1 </dev/null || { cat log; echo 'cannot be installed'; exit 1; }
pc=$(find "$place" -name usertrace.pc)
export PKG_CONFIG_PATH="${pc%/*}" PKG_CONFIG_SYSROOT_DIR="$place"
flags=$(pkg-config --cflags --libs usertrace) || exit 1
LD_LIBRARY_PATH=$(dirname "$(find "$place" -name libusertrace.so)")

cp -r "$example" mine && cd mine || exit 99
make -s CC="$cc" CFLAGS="$cflags -Wall -Wextra -Werror -DPLACE" \
    TRACETOOL="$tracetool" >../log 2>&1 || { cat ../log; exit 1; }
./sample -e 'sample_text' -f trace 2>../err || fail "exit $?"
[ "$(grep -c '^sample_text' ../err)" = 2 ] || fail 'the log has not both texts'
[ "$(grep -ac 'all "done", über' trace)" = 1 ] || fail 'nor has the trace file'
cd .. || exit 99

# --- what libusertrace(3) says, word by word -----------------------------------
# of [FILE]: what is indented below the file's name, or below what comes last;
# whoever types it begins a command of make with a tab.
of()
{
    awk -v file="$1" '
        /^\.I / { name = $2 }
        /^Build and trace/ { name = "" }
        /^\.nf/ { here = name == file && (file || last) }
        /^\.fi/ { last = last && !here; here = 0 }
        /^Build and trace/ { last = 1 }
        here && /^\.PP/ { print "" }
        here && /^    / { print substr($0, 5) }' \
        "$top_srcdir/man/libusertrace.3" |
        sed 's/\\-/-/g' | if [ "$1" = Makefile ]; then
            sed 's/^        /\t/'
        else
            cat
        fi
}
mkdir manual && cd manual || exit 99
for file in 'mine.trace\-events' Makefile mine.c; do
    of "$file" >"$(echo "$file" | tr -d '\\')"
done
# An instrument has to be in all of a program, or in none.
printf '%s\n' "CC = $cc $cflags" '.SUFFIXES:' | cat - Makefile >made
mv made Makefile
of '' >commands
[ "$(wc -l <commands)" = 3 ] || fail "not three commands: $(cat commands)"
PATH="$(dirname "$(find "$place" -name simpletrace)"):$PATH" TZ=UTC \
    MAKEFLAGS=-s sh -e ./commands >out 2>err || { cat err; fail 'the manual page is wrong'; }
cut -d ' ' -f 4- out | sed 's/fd [0-9]*$/fd N/' >lines
cat >wanted <<'END'
mine_open path Makefile fd N
mine_open path nosuch fd -1
END
diff wanted lines || { cat out err; fail 'the page leads elsewhere'; }
cd .. || exit 99

# ------------------------------------------------------------------------------
for header in control control-vcpu monitor simple text usertrace; do
    echo "#include <trace/$header.h>" >one.c
    # shellcheck disable=SC2086
    $cc -std=gnu11 -Wall -Wextra -Werror -fsyntax-only one.c $flags ||
        fail "$header.h does not stand alone"
    command -v g++ >/dev/null || continue
    # shellcheck disable=SC2086
    g++ -x c++ -Wall -Wextra -Werror -fsyntax-only one.c $flags ||
        fail "$header.h is no C++"
done

# A program that traces needs nothing else, not even the library of QMP.
readelf -d "$LD_LIBRARY_PATH/libusertrace.so" mine/sample |
    sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' |
    grep -v -e '^libc\.so' -e '^libusertrace\.so' -e '^ld-linux' \
        -e '^lib[alt]*san' -e '^libubsan' -e '^libclang_rt' >others
[ ! -s others ] || { cat others; fail 'needs more than the C library'; }

nm -D --defined-only "$LD_LIBRARY_PATH/libusertrace.so" |
    awk '$2 ~ /[A-Z]/ &&
         $3 !~ /^(trace_|st_|usertrace_|_init$|_fini$|__asan|__odr|__tsan)/' \
        >others
[ ! -s others ] || { cat others; fail 'shows names of its own'; }
exit $failed
