#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The output file is complete, or keeps its old contents; and the meaning of -h.
# tests/golden/tracetool has the rest of the command line.

tracetool=${top_builddir:-.}/tools/tracetool/tracetool
tracetool=$(cd "$(dirname "$tracetool")" && pwd -P)/tracetool
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
failed=0

fail()
{
    echo "FAIL: $*" >&2
    failed=1
}

run()
{
    "$tracetool" --format=formats events "$@" 2>err
}

# nothing_else FILE...: check that there are no other files
nothing_else()
{
    # shellcheck disable=SC2012 # our own names
    [ "$(ls | tr '\n' ' ')" = "$* " ] || fail "there are $(ls | tr '\n' ' ')"
}

echo 'id=0x00021001 e(uint32_t a) "%u"' >events

# The mode follows the umask, or the old file; a symbolic link remains.
(umask 027 && run out) || fail "out: $(cat err)"
[ "$(stat -c %a out)" = 640 ] || fail "mode $(stat -c %a out), not 640"
chmod 604 out
echo old >out
run out || fail "out again: $(cat err)"
[ "$(stat -c %a out)" = 604 ] || fail "mode $(stat -c %a out), not 604"
grep -q 0x00021001 out || fail 'out was not replaced'
mv out real
ln -s real link
echo old >real
run link || fail "link: $(cat err)"
[ -L link ] || fail 'the link was replaced'
grep -q 0x00021001 real || fail 'the target of the link was not replaced'
nothing_else err events link real
rm link

# An unchanged output is new all the same.
touch -t 202001010000 real
run real || fail "real: $(cat err)"
[ -n "$(find real -newer events)" ] || fail 'an unchanged output stays old'

# After any failure the old file is there, and no other.
echo old >real
for fault in write:1 write:1+ open:2 alloc:1 alloc:3 read:1; do
    FAULT=$fault run real && fail "FAULT=$fault: exit 0"
    [ "$(cat real)" = old ] || fail "FAULT=$fault: the old file is gone"
    [ "$(wc -l <err)" -eq 1 ] || fail "FAULT=$fault: the message is $(cat err)"
    nothing_else err events real
done
FAULT=nonsense run real
[ $? = 1 ] || fail 'FAULT=nonsense: not exit 1'
grep -q 'FAULT=nonsense: not understood' err || fail "FAULT: $(cat err)"
FAULT=short-write:1+,short-read:1+ run real || fail "short: $(cat err)"
grep -q 0x00021001 real || fail 'short writes: not all is there'

# Devices and pipes are written to.
run /dev/null || fail "/dev/null: $(cat err)"
[ -c /dev/null ] || fail '/dev/null is no device any more'
run - | cmp - real || fail 'standard output is something else'
run /dev/stdout | cmp - real || fail '/dev/stdout is something else'
mkfifo pipe
timeout 60 cat pipe >drained &
run pipe || fail "pipe: $(cat err)"
wait
cmp drained real || fail 'the output through the pipe differs'
if [ -w /dev/full ]; then
    run - >/dev/full && fail '/dev/full: exit 0'
    grep -q 'standard output: No space' err || fail "/dev/full: $(cat err)"
    for list in --list-backends '--runtime=qemu --list-backends' -h --help \
        --version --completion=bash 'stap --help'; do
        # shellcheck disable=SC2086 # several words
        "$tracetool" $list >/dev/full 2>err
        [ $? = 1 ] || fail "$list >/dev/full: not exit 1"
        grep -q 'standard output: No space' err || fail "$list: $(cat err)"
    done
fi

# -h is help, except where the first tracetool had it.
for help in -h '-?' --help; do
    "$tracetool" "$help" | head -n 1 | grep -q '^Usage: tracetool ' ||
        fail "$help: no usage"
done

# The texts of the tables begin in one column, and each format has a row, also
# those of one runtime.
"$tracetool" --help | sed -n '/^Back ends/,/^EVENTS/p' >rows
grep -n '^  [a-z]' rows | grep -v '^[0-9]*:  .\{16\} [ *] [^ ]' &&
    fail 'rows of --help out of their column'
for format in c d simpletrace-stap ust-events-h rs; do
    grep -q "^  $format " rows || fail "--help: no format $format"
done
rm rows
"$tracetool" --nop -h <events | grep -q trace_e || fail '--nop -h: no header'
"$tracetool" -h events out 2>err && fail '-h with files: exit 0'

exit $failed
