#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A whole program: exit codes, contents of stdout and stderr, fault points from
# the environment, and completion in real shells.  Run by make check, from the
# top of the build tree, or with DEMO=PATH.

demo=${DEMO:-${top_builddir:-.}/tests/unit/common/demo-program}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
failed=0

fail()
{
    echo "FAIL: $*" >&2
    failed=1
}

# expect STATUS STDOUT STDERR ARGUMENT...
expect()
{
    status=$1 out=$2 err=$3
    shift 3
    "$demo" "$@" >"$tmp/out" 2>"$tmp/err"
    got=$?
    [ $got = "$status" ] || fail "$*: exit $got, not $status"
    [ "$(cat "$tmp/out")" = "$out" ] || fail "$*: stdout $(cat "$tmp/out")"
    [ "$(cat "$tmp/err")" = "$err" ] || fail "$*: stderr $(cat "$tmp/err")"
}

expect 0 'run.trc' '' -c8 run.trc
expect 0 'demo-program 1.2.3' '' --version
expect 0 'demo-program 1.2.3' '' --cpus=3 --version --never-looked-at
expect 2 '' 'demo-program: --cpus 0: must be 1 to 1024' -c0 run.trc
for option in --help -h '-?' -q?; do
    "$demo" "$option" >"$tmp/help" 2>&1 || fail "$option: exit $?"
    head -n 1 "$tmp/help" | grep -q '^Usage: demo-program ' ||
        fail "$option: no usage"
done

# Output that cannot be written is a failure.
if [ -w /dev/full ]; then
    "$demo" --help >/dev/full 2>"$tmp/err" && fail '--help >/dev/full: exit 0'
    grep -q 'cannot write to the standard output: No space' "$tmp/err" ||
        fail "/dev/full: $(cat "$tmp/err")"
fi

FAULT=allok:1 "$demo" run.trc >/dev/null 2>"$tmp/err" &&
    fail 'misspelt FAULT: exit 0'
grep -q '^demo-program: FAULT=allok:1: not understood' "$tmp/err" ||
    fail "misspelt FAULT: $(cat "$tmp/err")"
FAULT=alloc:1,write:1+ "$demo" run.trc >/dev/null || fail 'FAULT: exit 1'

# The completions of bash for the words; the last word is incomplete.
in_bash()
{
    bash --norc -c '. "$0"
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _demo_program 2>/dev/null
        echo "${COMPREPLY[@]}"' "$tmp/c.bash" demo-program "$@"
}

# offers SHELL EXPECTED WORD...
offers()
{
    shell=$1 expected=$2
    shift 2
    got=$(in_"$shell" "$@")
    [ "$got" = "$expected" ] || fail "$shell: $*: $got, not $expected"
}

for shell in bash zsh fish; do
    "$demo" --completion=$shell >"$tmp/c.$shell" || fail "$shell: exit $?"
    command -v $shell >/dev/null || { echo "no $shell here: not tried"; continue; }
    $shell -n "$tmp/c.$shell" || fail "$shell cannot read it"
done

if command -v bash >/dev/null; then
    offers bash '--quiet' --q
    offers bash '--cpus --cpu-hz' --cpu
    offers bash '--no-colour' --no-
    offers bash 'json text csv' --format ''
    offers bash 'json' -f j
    offers bash 'text' --format = t
    offers bash 'json text csv' --format =
    offers bash '' --cpus ''
    offers bash '' run.t
    offers bash '' --secr
fi

in_fish()
{
    fish --no-config -c 'source $argv[1]; complete -C "$argv[2]"' \
        "$tmp/c.fish" "demo-program $*" | cut -f 1 | sort | tr '\n' ' '
}

if command -v fish >/dev/null; then
    HOME=$tmp
    export HOME
    offers fish '--cpu-hz --cpus ' --cpu
    offers fish '--format=csv --format=json --format=text ' --format=
    offers fish 'json ' -f j
fi

[ $failed = 0 ] && echo 'program: all well'
exit $failed
