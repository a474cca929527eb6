#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The messages of --follow when files are deleted before they are read: the
# number of deleted files if files are numbered, as libusertrace's are;
# otherwise, that files may be missing.  The exit code is 3 then, and 0 after
# plain rotations.
set -u
: "${top_srcdir:?run this by make check}" "${top_builddir:?}"
simpletrace=$(cd "$top_builddir" && pwd -P)/tools/simpletrace/simpletrace
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 99
failed=0

fail()
{
    echo "$*"
    failed=1
}

words() { printf '%b' "$@"; }
zeros4='\000\000\000\000'
zeros8=$zeros4$zeros4
ones8='\377\377\377\377\377\377\377\377'

# trace LETTER [NUMBER]: a record of event LETTER, in file NUMBER of process 7
trace()
{
    words "$ones8" '\264\051\244\012\313\167\261\362' \
        '\004\000\000\000' "$zeros4"
    [ -z "${2-}" ] || words "$zeros8" '\005\000\377\377\377\377\377\377' \
        '\003\000\000\000' "7 $2"
    words "$zeros8" "$zeros8" '\001\000\000\000' "$1"
    words '\001\000\000\000' "$zeros4" "$zeros8" '\001\000\000\000' "$zeros4" \
        '\030\000\000\000' '\007\000\000\000'
}

# wait_for LETTERS: the events of out
wait_for()
{
    tries=300
    until [ "$(tr -d '\n ' <out)" = "$1" ] || [ $((tries -= 1)) -eq 0 ]; do
        sleep 0.1
    done
    [ "$(tr -d '\n ' <out)" = "$1" ] || fail "printed $(cat out), not $1"
}

for letter in a b c d e; do
    echo "$letter(void) \"\""
done >declared

# follow NUMBER...: print f, then rotate in files with these numbers while the
# follower sleeps; two old files are kept
follow()
{
    trace a "${1:+1}" >f
    "$simpletrace" -f -s log -e declared f >out 2>err &
    follower=$!
    wait_for a
    kill -STOP $follower
    for letter in b c d e; do
        [ ! -e f.1 ] || mv f.1 f.2
        mv f f.1
        trace $letter "${1-}" >f
        [ $# -eq 0 ] || shift
    done
    kill -CONT $follower
}

end()
{
    kill -TERM $follower
    wait $follower
    [ $? -eq "$1" ] || fail "not exit code $1"
    rm -f f f.1 f.2
}

follow 2 3 4 5
wait_for acde
grep -q ': f: 1 file was deleted before it was read' err ||
    fail "one deleted file is not reported: $(cat err)"
end 3

follow
wait_for acde
grep -q ': f: the followed file was deleted or renamed' err ||
    fail "a jump is not reported: $(cat err)"
end 3

# A file that begins without a header, or with a part of the header.
for bytes in 0 20; do
    trace a 1 | head -c $bytes >f
    "$simpletrace" -f -s log -e declared f >out 2>err &
    follower=$!
    sleep 0.2
    trace a 1 | tail -c +$((bytes + 1)) >>f
    wait_for a
    end 0
    [ ! -s err ] || fail "a file of $bytes bytes: $(cat err)"
done
: >f
"$simpletrace" -s log -e declared f >out 2>err && fail 'an empty file is a trace'
echo 'no trace' >f
"$simpletrace" -f -s log -e declared f >out 2>err && fail 'text is a trace'
rm f

# All kept: nothing is reported.
trace a 1 >f
"$simpletrace" -f -s log -e declared f >out 2>err &
follower=$!
wait_for a
mv f f.1
trace b 2 >f
wait_for ab
end 0
[ ! -s err ] || fail "a plain rotation prints: $(cat err)"
exit $failed
