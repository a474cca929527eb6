#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The script in simpletrace(1) works as it stands there, with a trace of
# examples/sample, and with each way to give no file of events.
set -u
# shellcheck source=tests/usertrace/lib.sh
. "$top_srcdir/tests/usertrace/lib.sh"
# shellcheck source=tests/simpletrace/module.sh
. "$top_srcdir/tests/simpletrace/module.sh"

copy_module . simpletrace
make_sample log,simple || exit 1
./sample -t 2 -n 5 -e 'sample_*' -f trace 2>log || fail "exit $?"

# The lines between .nf and .fi that begin with the import.
awk '/^\.fi/ { on = 0 } /^    import simpletrace/ { on = 1 }
     on { print substr($0, 5) }' "$top_srcdir/man/simpletrace.1" |
    sed 's/\\-/-/g; s/\\e/\\/g' >script.py
[ "$(wc -l <script.py)" -ge 5 ] || fail 'the page has no script'
: >empty
for events in "$example/sample.trace-events" empty ''; do
    python3 script.py "$events" trace >out 2>err ||
        fail "EVENTS '$events': exit $?: $(tail -n 1 err)"
    # 2 threads, 5 requests of 4096 bytes each
    [ "$(cat out)" = 40960 ] || fail "EVENTS '$events': prints $(cat out)"
done
exit $failed
