#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The installed library as a program uses it: library, headers and pkg-config
# file are installed in a scratch folder, and examples/sample is built by its
# own Makefile with these and tracetool only.  Each header compiles alone, as C
# and as C++.
set -u
# shellcheck source=tests/usertrace/lib.sh
. "$top_srcdir/tests/usertrace/lib.sh"

command -v pkg-config >/dev/null || skip 'pkg-config is not installed'
unset MAKEFLAGS MAKELEVEL MFLAGS
place=$scratch/place
make -s -C "$top_builddir" DESTDIR="$place" install-libraries \
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
[ "$(grep -c '^sample_text' ../err)" = 2 ] || fail 'the log lacks a text'
[ "$(grep -ac 'all "done", über' trace)" = 1 ] || fail 'the trace file lacks the text'
./sample --help >../out 2>../err || fail "--help: exit $?"
grep -q -e '-n REQUESTS' ../out || fail "--help: $(cat ../out ../err)"
./sample -x >/dev/null 2>../err
[ $? = 2 ] && grep -q -e '-n REQUESTS' ../err || fail "-x: $(cat ../err)"

# make_backends BACKENDS: as the Makefile advises
make_backends()
{
    make -s clean && make -s CC="$cc" CFLAGS="$cflags -Wall -Wextra -Werror" \
        TRACETOOL="$tracetool" BACKENDS="$1" >../log 2>&1
}
more=log,simple,syslog,nop
for header in sys/sdt.h:dtrace lttng/tracepoint.h:ust; do
    echo "#include <${header%:*}>" | $cc -E - >/dev/null 2>&1 &&
        more=$more,${header#*:}
done
make_backends $more || fail "BACKENDS=$more: $(cat ../log)"
./sample -e 'sample_text' -f trace 2>../err || fail "$more: exit $?"
make_backends log,xen && fail 'BACKENDS=log,xen: no error'
grep -q 'xen is for events with an id' ../log || fail "xen: $(cat ../log)"
cd .. || exit 99

# --- the example of libusertrace(3), as printed -------------------------------
# example_text [FILE]: the indented text below the name of FILE, or the commands
# below the files.  Commands in a Makefile get their tab.
example_text()
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
    example_text "$file" >"$(echo "$file" | tr -d '\\')"
done
# Sanitizers have to be in all parts of a program, or in none.
printf '%s\n' "CC = $cc $cflags" '.SUFFIXES:' | cat - Makefile >made
mv made Makefile
example_text '' >commands
[ "$(wc -l <commands)" = 3 ] || fail "not three commands: $(cat commands)"
PATH="$(dirname "$(find "$place" -name simpletrace)"):$PATH" TZ=UTC \
    MAKEFLAGS=-s sh -e ./commands >out 2>err || { cat err; fail 'the example fails'; }
cut -d ' ' -f 4- out | sed 's/fd [0-9]*$/fd N/' >lines
cat >wanted <<'END'
mine_open path Makefile fd N
mine_open path nosuch fd -1
END
diff wanted lines || { cat out err; fail 'the example prints something else'; }
cd .. || exit 99

# --- doc/programs.md, as printed ----------------------------------------------
mkdir -p checkout/examples && cp -r "$example" checkout/examples/ &&
    cd checkout || exit 99
printf '%s\n' "CC = $cc $cflags" | cat - "$example/Makefile" \
    >examples/sample/Makefile
(
    tmp=$scratch
    fail()
    {
        echo "$*"
        cat "$tmp/out" 2>/dev/null
        exit 1
    }
    # shellcheck source=tests/house/pages.sh
    . "$top_srcdir/tests/house/pages.sh"
    page_owner=tests/usertrace/installed.sh
    PATH="$(dirname "$(find "$place" -name simpletrace)"):$PATH"
    export MAKEFLAGS=-s
    page_run "$top_srcdir/doc/programs.md"
) || fail 'doc/programs.md fails'
cd .. || exit 99

# ------------------------------------------------------------------------------
for header in control control-vcpu monitor simple text usertrace; do
    echo "#include <trace/$header.h>" >one.c
    # shellcheck disable=SC2086
    $cc -std=gnu11 -Wall -Wextra -Werror -fsyntax-only one.c \
        $(pkg-config --cflags usertrace) ||
        fail "$header.h does not compile alone"
    command -v g++ >/dev/null || continue
    # shellcheck disable=SC2086
    g++ -x c++ -Wall -Wextra -Werror -fsyntax-only one.c $flags ||
        fail "$header.h does not compile as C++"
done

# A traced program needs no other library, not even the library of QMP.
readelf -d "$LD_LIBRARY_PATH/libusertrace.so" mine/sample |
    sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' |
    grep -v -e '^libc\.so' -e '^libusertrace\.so' -e '^ld-linux' \
        -e '^lib[alt]*san' -e '^libubsan' -e '^libclang_rt' >others
[ ! -s others ] || { cat others; fail 'needs more than the C library'; }

nm -D --defined-only "$LD_LIBRARY_PATH/libusertrace.so" |
    awk '$2 ~ /[A-Z]/ &&
         $3 !~ /^(trace_|st_|usertrace_|_init$|_fini$|__asan|__odr|__tsan)/' \
        >others
[ ! -s others ] || { cat others; fail 'exports private names'; }
exit $failed
