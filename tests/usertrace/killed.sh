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
"$simpletrace" --recover=whole f 2>err2 || fail "--recover fails: $(cat err2)"
[ "$(count whole)" = $events ] || fail "recovered $(count whole) of $events"
[ -z "$(ls memory)" ] || fail "--recover leaves $(ls memory)"
"$simpletrace" f 2>&1 >/dev/null | grep . && fail 'speaks of rings that are gone'
rm f

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
exit $failed
