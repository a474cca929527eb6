#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A file for chrome://tracing, read by a decoder in Python: slices nest, threads
# have names and different numbers, and times and counts equal those of --json.
. "$top_srcdir/tests/xenalyze/viewers/lib.sh"

for trace in $(small_traces); do
    expect 0 "$xenalyze" export chrome "$trace" -o whole.chrome
    [ ! -s err ] || fail "$trace: $(cat err)"
    expect 0 "$xenalyze" --json "$trace"
    mv out whole.json
    expect 0 python3 "$viewers/read-chrome.py" whole.chrome whole.json
    [ "$trace" != mix ] || grep -q 'flows [1-9].* exits [1-9]' out ||
        fail "$(cat out)"
    [ "$trace" != lossy ] || grep -q 'lost [1-9]' out || fail 'nothing is lost'
done
expect 0 "$xenalyze" export chrome --vcpu d2v0 --time 0.1..0.2 mix
mv out part.chrome
expect 0 python3 "$viewers/read-chrome.py" part.chrome
grep -q 'pvh2/1' out && fail 'another vcpu than selected'
grep -q Domain-0 part.chrome && fail 'a waker that is not selected'

# A critical path is a thread of its own.
expect 0 "$xenalyze" --critical-path=d2v0 --json --export chrome:path.chrome mix
mv out path.json
expect 0 python3 "$viewers/read-chrome.py" path.chrome path.json
grep -q 'critical path of pvh2/0' out || fail "$(cat out)"

cat mix mix >twice
expect 0 "$xenalyze" export chrome twice -o part.chrome
expect 0 python3 "$viewers/read-chrome.py" part.chrome

# A hostile name is text, and no tag where JSON is part of a page.
expect 0 "$xenalyze" export chrome "$hostile" -o part.chrome
expect 0 python3 "$viewers/read-chrome.py" part.chrome
grep -q '<script' part.chrome && fail 'a script tag'
expect 0 python3 -c 'import json, sys
name = json.load(open(sys.argv[1], encoding="utf-8"))["metadata"]["trace"]
bad = "\ufffd"
want = "a\"\\;<script>b" + bad + "[31m" + 3 * bad + " 1"
assert name == want, ascii(name)' part.chrome
