# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Common functions of the tests of programs: paths, a scratch folder that is
# removed at exit, and failure with a reason.  To be sourced.

: "${top_srcdir:?run this by make check}" "${top_builddir:?}"

# shellcheck disable=SC2034 # used by the sourcing script
xentrace=$top_builddir/tools/xentrace/xentrace
xenalyze=$top_builddir/tools/xenalyze/xenalyze
xensim=$top_builddir/xensim/xensim

tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
trap 'exit 99' HUP INT TERM

# Ignore the settings of the user.
unset XENSIM_SOCKET FAULT
XDG_RUNTIME_DIR=$tmp
XENTRACE_CONTROL_DIR=$tmp/control
export XDG_RUNTIME_DIR XENTRACE_CONTROL_DIR

# LeakSanitizer takes half of the time of a short run: without --full, only unit
# tests, golden/, fuzz/, and tests that call find_leaks look for leaks.
asan_options=${ASAN_OPTIONS-}
[ -n "${CHECK_FULL-}" ] || ASAN_OPTIONS=detect_leaks=0:$asan_options
export ASAN_OPTIONS

find_leaks() {
    ASAN_OPTIONS=$asan_options
}

# saves_time: true with a sanitizer and without --full
saves_time() {
    [ -z "${CHECK_FULL-}" ] &&
        grep -qF 'S["PLAIN_TRUE"]="#"' "$top_builddir/config.status"
}

skip() {
    echo "skipped: $*"
    exit 77
}

fail() {
    echo "FAILED: $*" >&2
    for f in "$tmp/out" "$tmp/err"; do
        [ -s "$f" ] && sed "s|^|    ${f##*/}: |" "$f" >&2
    done
    exit 1
}

# expect STATUS COMMAND...: run COMMAND, with output in $tmp/out and $tmp/err.
expect() {
    want=$1
    shift
    "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    got=$?
    [ "$got" -eq "$want" ] || fail "exit status $got, not $want: $*"
}

# expect_message TEXT: standard error is one line with this text.  Without other
# programs, since most tests of messages have hundreds.
expect_message() {
    err_text=
    err_lines=0
    while IFS= read -r err_line; do
        err_text=$err_line
        err_lines=$((err_lines + 1))
    done <"$tmp/err"
    [ $err_lines -eq 1 ] || fail "the message is not one line"
    case $err_text in
    *"$1"*) ;;
    *) fail "the message lacks: $1" ;;
    esac
}

# count_events OPTION... TRACE: records without fillers and metadata
count_events() {
    "$xenalyze" count "$@" |
        awk '/ trace_wrap_buffer$| meta_/ { no_events += $1 }
             / in all$/ { print $1 - no_events }'
}

# has_cairo: true if this build can write PNG and PDF
has_cairo() {
    grep -q '^#define HAVE_CAIRO 1' "$top_builddir/config.h"
}

# name_domain ID NAME: metadata for compose, with escapes of printf in NAME
name_domain() {
    printf '0 - 0x1f08c 0x%08x' $(($1 | 1 << 24))
    { printf '%b' "$2"; head -c 24 /dev/zero; } | head -c 24 |
        od -An -v -tx4 -w24 --endian=little | sed 's/ / 0x/g'
}
