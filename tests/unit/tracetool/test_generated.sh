#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Generated code as used by its users: a file of Xen, a user-space program, a
# tool that reads records.  Compiled with every available compiler, and with the
# strictest flags known of these users.
set -u

here=${top_srcdir:?}/tests/unit/tracetool
tracetool=${top_builddir:?}/tools/tracetool/tracetool
events=$here/emitted.trace-events
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
failed=0

# The flags of Xen 4.17, and the path of its headers.
xen="-std=gnu99 -nostdinc -Wall -Wstrict-prototypes -Werror -Wvla \
    -Wredundant-decls -Wdeclaration-after-statement -Wnested-externs -O2 \
    -fno-strict-aliasing -fno-common -D__XEN__ \
    -I$here/dialect -I$top_srcdir/xen/include"
# A careful program's.
program="-std=c99 -pedantic -Wall -Wextra -Wshadow -Wconversion -Werror -O2"

fail()
{
    echo "FAIL: $*"
    failed=1
}

# generate FORMAT BACKENDS OUTPUT
generate()
{
    "$tracetool" --format="$1" --backends="$2" --group=test "$events" \
        "$tmp/$3" || { echo "FAIL: --format=$1 --backends=$2"; exit 1; }
}

# compiles CC FLAGS...: $tmp/user.c, without a word
compiles()
{
    "$@" -I"$tmp" -c "$tmp/user.c" -o "$tmp/user.o" >"$tmp/out" 2>&1 &&
        [ ! -s "$tmp/out" ] && return
    fail "$*"
    sed 's/^/    | /' "$tmp/out"
}

# callers: each generated call in a function of its own
callers()
{
    sed -n 's/^static inline void \(trace_[a-z0-9_]*\)\((.*)\)$/\1 \2/p' \
        "$tmp/$1" |
        awk '{
            name = $1
            sub(/^[^ ]* /, "")
            params = args = $0
            gsub(/[a-z0-9]+_t /, "", args)
            sub(/\(void\)/, "()", args)
            printf "void call_%s%s;\nvoid call_%s%s\n{\n    %s%s;\n}\n",
                   name, params, name, params, name, args
        }'
}

# --- a file of Xen -----------------------------------------------------------

# one_test: with tracing off there is one branch: before the first return, or
# jump to another function, there is one conditional jump, and no call before
# it.
one_test()
{
    objdump -d --no-show-raw-insn "$tmp/user.o" >"$tmp/code" || return 0
    awk -v cc="$1" '
        /^[0-9a-f]+ <call_[a-z0-9_]*>:/ {
            name = $2
            wanted = name !~ /_off>/
            jumps = 0
            on = 1
            next
        }
        !on { next }
        $2 ~ /^j/ && $2 !~ /^jmp/ { jumps++ }
        $2 ~ /^call/ && !jumps { print cc ": " name " calls untested"; bad = 1 }
        $2 ~ /^(ret|jmp)/ {
            if ( jumps != wanted ) {
                print cc ": " name " " jumps " tests, not " wanted
                bad = 1
            }
            seen++
            on = 0
        }
        END { exit bad || seen < 20 }' "$tmp/code" || fail "$1: the cost"
}

in_xen()
{
    generate h xen hypervisor.h
    {
        echo '#include "hypervisor.h"'
        callers hypervisor.h
    } >"$tmp/user.c"
    [ "$(grep -c '^void.*;$' "$tmp/user.c")" -ge 20 ] || fail "few callers"

    # shellcheck disable=SC2086 # flags are words
    compiles "$1" $xen
    # shellcheck disable=SC2086
    compiles "$1" $xen -DCONFIG_TRACEBUFFER
    case $(uname -m) in
    x86_64) command -v objdump >/dev/null && one_test "$1" ;;
    esac

    # An id of another's is found out.
    # shellcheck disable=SC2086
    "$1" $xen -DTRC_ALICE=0x82e02 -I"$tmp" -c "$tmp/user.c" \
        -o "$tmp/user.o" >"$tmp/out" 2>&1 && fail "$1: two ids of alice"
    grep -q 'TRC_ALICE: defined elsewhere with another id' "$tmp/out" ||
        fail "$1: does not mention the two ids"
}

# --- a program ---------------------------------------------------------------

in_program()
{
    generate h nop program.h
    generate c nop program.c
    {
        echo '#include "program.h"'
        echo '#undef linux'
        callers program.h
        cat "$tmp/program.c"
        echo 'int on(void);'
        echo 'int on(void) { return TRACE_ALICE_BACKEND_DSTATE(); }'
    } >"$tmp/user.c"
    # shellcheck disable=SC2086
    compiles "$1" $program
}

# --- a tool that reads records -----------------------------------------------

in_tool()
{
    generate structs nop structs.h
    {
        echo '#include "structs.h"'
        echo '#include "structs.h"'
        echo 'unsigned int dom(const struct xt_rec_halves *r);'
        echo 'unsigned int dom(const struct xt_rec_halves *r)'
        echo '{ return r->dom; }'
    } >"$tmp/user.c"
    compiles "$1" -std=gnu11 -Wall -Wextra -Wpadded -Werror

    generate readers nop readers.h
    mkdir -p "$tmp/libxentrace"
    mv "$tmp/structs.h" "$tmp/libxentrace/records.h"
    {
        echo '#include "readers.h"'
        echo '#include "readers.h"'
        echo 'unsigned int dom(const struct xt_record *r);'
        echo 'unsigned int dom(const struct xt_record *r)'
        echo '{ return xt_field_load(r, XT_AT(halves, dom)); }'
    } >"$tmp/user.c"
    compiles "$1" -std=gnu11 -Wall -Wextra -Werror -I"$tmp" \
        -I"$top_srcdir/tools" -I"$top_srcdir/xen/include"

    generate catalogue nop user.c
    compiles "$1" -std=gnu11 -Wall -Wextra -Wwrite-strings -Werror \
        -I"$top_srcdir/tools" -I"$top_srcdir/xen/include"
}

# Formats that tracetool accepts compile without a warning.
in_logger()
{
    printf '%s\n' 'bytes(const uint8_t *a, signed char *b) "%-5.2s %p"' \
        'vcpu text(unsigned char *a, char *b) "%s %s"' \
        'numbers(int a, unsigned long b) "%+.3d %#lx"' >"$tmp/formats"
    for format in h c; do
        "$tracetool" --format=$format --backends=log,syslog,ftrace \
            --group=test "$tmp/formats" "$tmp/trace-test.$format" ||
            fail "--format=$format"
    done
    cp "$tmp/trace-test.c" "$tmp/user.c"
    compiles "$1" -std=gnu11 -Wall -Wextra -Wformat=2 -Werror \
        -I"$top_srcdir/tools" -I"$top_srcdir/tools/libusertrace"
}

none=1
for cc in gcc clang; do
    command -v "$cc" >/dev/null || continue
    none=0
    in_xen "$cc"
    in_program "$cc"
    in_tool "$cc"
    in_logger "$cc"
done
[ "$none" -eq 0 ] || { echo "neither gcc nor clang is here"; exit 77; }

# --- events rejected by back end xen ------------------------------------------

printf '%s\n' 'id=0x00082e01 good(void) ""' 'user(int x) "%d"' >"$tmp/mixed"
if "$tracetool" --format=h --backends=xen --group=test "$tmp/mixed" \
       "$tmp/mixed.h" 2>"$tmp/err"; then
    fail "back end xen took an event without an id"
fi
grep -q "mixed:2:[0-9]*: back end xen: user: .* give it one" "$tmp/err" ||
    fail "no reason, or none with its place: $(cat "$tmp/err")"
[ ! -e "$tmp/mixed.h" ] || fail "half a header was left"

exit "$failed"
