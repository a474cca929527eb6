#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A trace of libusertrace says itself how it is printed: without any file of
# events, simpletrace prints what the log back end printed in the same run.
set -u
# shellcheck source=tests/usertrace/lib.sh
. "$top_srcdir/tests/usertrace/lib.sh"

make_sample log,simple || exit 1
./sample -t 1 -n 500 -e 'sample_*' -f trace 2>log || fail "exit $?"
"$simpletrace" -s log trace >text 2>err || fail "exit $?: $(head -n 3 err)"
# A string that was NULL cannot be told from an empty one.
sed 's/(null)//' log >wanted
cmp -s wanted text || {
    fail 'what log printed is not what simpletrace prints'
    diff wanted text | head -n 10
}
"$simpletrace" -s text trace >text || fail "exit $?"
grep -vcE "^[0-9]{4}-[0-9-]{5} [0-9:]{8}\.[0-9]{9} [0-9]+/[0-9]+ sample_" text \
    >odd && fail "no time, process and thread in $(cat odd) lines"
exit $failed
