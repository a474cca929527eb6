#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# xenalyze on damaged input: it exits normally, reports the place, and loses
# only damaged records; a pipe gives the same report as a file.
. "$top_srcdir/tests/tools/lib.sh"

cd "$tmp" || exit 99

# window CPU N: a window of N records of 8 bytes (event 0x21011, one word)
window() {
    printf '\003\360\001\040'"\\$(printf %03o "$1")"'\0\0\0'
    printf "\\$(printf %03o $(($2 * 8)))"'\0\0\0'
    i=0
    while [ $i -lt "$2" ]; do
        printf '\021\020\002\020\0\0\0\0'
        i=$((i + 1))
    done
}

# says PATTERN: the report has a matching line
says() {
    grep -qE "$1" out || fail "the report has no line like: $1"
}

window 0 3 >a
window 1 5 >b
window 2 7 >c

cat a b c >sound
expect 0 "$xenalyze" --info sound
says '^  records: 15: 15 events'
says '^damage: none$'
cp out sound.report

# --- a pipe ------------------------------------------------------------------

expect 0 sh -c 'cat sound | "$1" --info -' sh "$xenalyze"
sed 1d out >piped
sed 1d sound.report | cmp -s - piped || fail "the report of a pipe differs"

# --- cut off -----------------------------------------------------------------

head -c $((36 + 52 + 12 + 20)) sound >torn
expect 0 "$xenalyze" --info torn
says '^  records: 10:'
says '^damage: 1 place, 4 bytes skipped$'
says '^  at byte 116: the input ends inside a window, 4 bytes skipped$'

# --- junk between windows ----------------------------------------------------

{ cat a; head -c 100 /dev/zero; cat b c; } >junk
expect 0 "$xenalyze" --info junk
says '^  records: 15:'
says '^  at byte 36: not a window, 100 bytes skipped$'

# --- a window full of zeroes, as after a crash, or of ones -------------------

for byte in '\0' '\377'; do
    { cat a; head -c 12 b; head -c 40 /dev/zero | tr '\0' "$byte"; cat c; } \
        >filled
    expect 0 "$xenalyze" --info filled
    says '^  records: 10:'
    says '^  at byte 48: impossible record, 40 bytes skipped$'
done

# --- a wrong size ------------------------------------------------------------

{ cat a; head -c 8 b; printf '\370\0\0\0'; tail -c +13 b; cat c; } >size
expect 0 "$xenalyze" --info size
says '^  records: 15:'
says '^  at byte 36: wrong window size, 0 bytes skipped$'

# --- output to a full disk ---------------------------------------------------

expect 1 sh -c '"$1" --info sound >/dev/full' sh "$xenalyze"
expect_message "report"
