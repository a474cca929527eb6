#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Back end ust: a real LTTng session daemon records the sample's events, and
# babeltrace reads them.  The name of the provider is unique to this run, since
# the daemon may be shared.
set -u
# shellcheck source=tests/usertrace/lib.sh
. "$top_srcdir/tests/usertrace/lib.sh"

for tool in lttng lttng-sessiond babeltrace2; do
    command -v $tool >/dev/null || skip "$tool is not installed"
done
echo '#include <lttng/tracepoint.h>' | $cc -E - >/dev/null 2>&1 ||
    skip 'liblttng-ust-dev is not installed'

own=sample_$$
make_sample ust,log "--provider=$own" || exit 1
lttng_begins "$own" || skip "no session: $(tail -n 1 lttng.log)"
timeout 60 ./sample -t 1 -n 3 -e 'sample_*' 2>log || fail "exit $?"
lttng_quietly stop "$session"
lttng_ends
babeltrace2 out >all 2>err || fail "babeltrace2: $(cat err)"
sed -n 's/.* '"$own"':\([a-z_]*\):.*/\1/p' all >text.names
cut -d ' ' -f 1 log >log.names
diff log.names text.names || fail 'the events of LTTng differ from the log'
sed 's/.*}, //' all >fields
cat >wanted <<'END'
{ name = "sample", threads = 1 }
{ worker = 0, sector = 0x1, bytes = 4096, write = 1 }
{ worker = 0, request = 0x0, rc = -5 }
{ worker = 0, request = 0x10, rc = 0 }
{ text = "all \"done\", über" }
{ text = "(null)" }
{ }
{ number = 14 }
END
while IFS= read -r line; do
    grep -qxF "$line" fields || fail "missing: $line"
done <wanted
[ $failed = 0 ] || cat fields
exit $failed
