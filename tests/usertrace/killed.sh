#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A program is killed again and again: simpletrace says that events are in
# memory, --recover adds them, the next start saves them, and no rings are left.
set -u
# shellcheck source=tests/usertrace/lib.sh
. "$top_srcdir/tests/usertrace/lib.sh"

make_sample simple || exit 1
mkdir memory
export USERTRACE_RINGS="$scratch/memory"

cat >make-rings.c <<'END'
#include <libusertrace/simple-format.h>
#include <stdio.h>

/* A header as a new process writes it; rings and paths come later. */
int main(void)
{
    static const struct simple_rings head = {
        .magic = SIMPLE_RINGS_MAGIC, .version = SIMPLE_RINGS_VERSION, .pid = 1,
        .header_bytes = sizeof(head), .ring_header = 4096, .ring_bytes = 65536,
    };

    return fwrite(&head, sizeof(head), 1, stdout) != 1;
}
END
# shellcheck disable=SC2086 # flags are words
$cc $cflags "-I$top_srcdir/tools" "-I$top_srcdir/tools/libusertrace" \
    -o make-rings make-rings.c || exit 1

# Two threads serve 10 requests each: 4 + 2 * 21 events, and 1 of the signal.
events=47

# count FILE: events in a trace
count()
{
    "$simpletrace" --style=csv "$1" 2>/dev/null | grep -c sample_
}

kill_sample()
{
    ./sample -e 'sample_*' -e -sample_detail -f f -K 2>>err
    [ $? = 137 ] || fail "the sample was not killed: $(cat err)"
}

kill_sample
[ "$(count f)" -lt $events ] || fail 'nothing was left in memory'
"$simpletrace" f 2>&1 >/dev/null | grep -q "f.rings holds [1-9].*--recover=NEW" ||
    fail 'simpletrace says nothing of the rings'
"$simpletrace" f 2>&1 >/dev/null | grep 'number of 0 lost' && fail 'no losses'
"$simpletrace" --recover=whole f 2>err2 || fail "--recover fails: $(cat err2)"
[ "$(count whole)" = $events ] || fail "recovered $(count whole) of $events"
[ -z "$(ls memory)" ] || fail "--recover leaves $(ls memory)"
"$simpletrace" f 2>&1 >/dev/null | grep . && fail 'speaks of rings that are gone'

# A trace without rings, and a link to rings that a reboot has removed.
"$simpletrace" --recover=again f 2>err2
[ $? = 1 ] || fail '--recover without rings: not exit 1'
grep -q 'f: there is nothing to recover: .* no rings, f.rings$' err2 ||
    fail "--recover without rings: $(cat err2)"
ln -s memory/gone f.rings
"$simpletrace" --recover=again f 2>err2
[ $? = 1 ] || fail '--recover without the rings of a link: not exit 1'
grep -q 'f.rings is a link to rings that are gone' err2 ||
    fail "--recover without the rings of a link: $(cat err2)"
[ ! -e again ] || fail '--recover without rings: writes a file'
rm f f.rings

# The output keeps a link, and has the mode of the trace.
mkdir link && echo old >link/target
ln -s link/target out
kill_sample
chmod 640 f
umask 022
"$simpletrace" --recover=out f 2>err2 || fail "--recover fails: $(cat err2)"
[ -L out ] && [ "$(count link/target)" = $events ] ||
    fail '--recover replaces a symbolic link'
[ "$(stat -c %a link/target)" = 640 ] || fail 'mode of the recovered trace'
[ "$(ls link)" = target ] || fail "--recover leaves files: $(ls link)"
rm f

for i in 1 2 3 4 5; do
    kill_sample
    [ "$(find memory -type f | wc -l)" = 1 ] || fail "kill $i leaves $(ls memory)"
done
grep -q 'f: the last program that wrote this file was killed' err ||
    fail "the program does not say what it did: $(cat err)"
for i in 1 2 3 4; do
    [ "$(count f.$i)" = $events ] || fail "f.$i has $(count f.$i) of $events"
done
./sample -e 'sample_*' -f f 2>>err || fail "exit $?"
[ "$(count f.5)" = $events ] || fail "f.5 has $(count f.5) of $events"
[ -z "$(ls memory)" ] || fail "the rings of the last kill: $(ls memory)"
[ ! -e f.rings ] || fail 'f.rings is left'

# Killed before the rings had a header, or before they named their trace.  A
# process that has just begun is left alone.
for name in empty nameless new; do
    rings=memory/usertrace-1-000000000$name.rings
    : >$rings
    [ $name = empty ] ||
        "$scratch/make-rings" >$rings || fail 'no rings'
    [ $name = new ] || touch -d '2 minutes ago' $rings
done
# The sweep may end with the process: the next one continues.
tries=0
until [ "$(ls memory)" = usertrace-1-000000000new.rings ] || [ $tries = 20 ]; do
    ./sample -e 'sample_*' -f f 2>>err || fail "exit $?"
    tries=$((tries + 1))
done
[ "$(ls memory)" = usertrace-1-000000000new.rings ] ||
    fail "rings without a trace: $(ls memory)"
exit $failed
