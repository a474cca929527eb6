#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The script in simpletrace(1) works as it stands there, with a trace of
# examples/sample, and with each way to give no file of events.
set -u
# shellcheck source=tests/usertrace/lib.sh
. "$top_srcdir/tests/usertrace/lib.sh"

command -v python3 >/dev/null || skip 'python3 is not installed'
cp "$top_srcdir/tools/simpletrace/simpletrace.py" \
    "$top_builddir/tools/simpletrace/libsimpletrace_python.so" . || exit 99
unset PYTHONPATH PYTHONHOME
export PYTHONDONTWRITEBYTECODE=1
python3 -c 'import simpletrace' 2>err || {
    grep -qi -e 'asan' -e 'tsan' -e 'ubsan' -e 'sanitize' err &&
        skip 'python3 cannot load a library with a sanitizer'
    cat err
    exit 1
}
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
