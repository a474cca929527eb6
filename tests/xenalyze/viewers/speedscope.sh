#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# speedscope itself, in Chromium without a window: loads our files, and the
# totals of its own format equal ours.  SPEEDSCOPE is the folder dist/release of
# its package; by default, npm fetches it.
. "$top_srcdir/tests/xenalyze/viewers/lib.sh"

version=1.25.0
command -v chromium >/dev/null || skip "there is no chromium"
command -v node >/dev/null || skip "there is no node to steer chromium"
if [ -z "${SPEEDSCOPE:-}" ]; then
    command -v npm >/dev/null || skip "there is no npm to fetch speedscope"
    timeout 60 npm pack --silent speedscope@$version >npm.out 2>&1 &&
        tar xzf speedscope-$version.tgz ||
        skip "npm cannot fetch speedscope: $(tail -n 1 npm.out)"
    SPEEDSCOPE=$tmp/package/dist/release
fi
[ -f "$SPEEDSCOPE/index.html" ] || fail "$SPEEDSCOPE is not speedscope"

# load FILE PATTERN: the text of the page of speedscope with this file, once the
# pattern of JavaScript matches it; in the file page
load() {
    python3 -c 'import base64, sys
data = base64.b64encode(open(sys.argv[1], "rb").read()).decode()
print("speedscope.loadFileFromBase64(%r, %r)" % (sys.argv[1], data))' \
        "$1" >profile.js
    timeout 120 node "$viewers/load-speedscope.mjs" \
        "file://$SPEEDSCOPE/index.html#localProfilePath=$tmp/profile.js&view=sandwich" \
        "$tmp/chromium" "$2" >page 2>err ||
        fail "$1 does not load: $(head -n 3 err)"
    grep -q '[^ ] - speedscope' page || fail "$1 does not load"
}

cat >totals.py <<'END'
import collections, re, sys

UNITS = {"": 1, "ns": 1, "\u00b5s": 1e3, "ms": 1e6, "s": 1e9}
NUMBER = r"([0-9.,]+)(ns|\u00b5s|ms|s|) \([^)]*\) +"
text = re.sub(r"\s+", " ", open("page", encoding="utf-8").read())
shown = {name: float(total.replace(",", "")) * UNITS[unit]
         for total, unit, own, own_unit, name in
         re.findall(NUMBER + NUMBER + r"(\S+)", text)}
want = collections.Counter()
for line in open(sys.argv[1], encoding="utf-8"):
    frames, weight = line.rsplit(" ", 1)
    for frame in set(frames.split(";")[1:4]):
        want[frame.split()[0]] += int(weight)
rows = [f for f in want if f in shown]
assert len(rows) >= 5, (shown, want)
for f in rows:
    assert abs(shown[f] - want[f]) <= 0.01 * want[f] + 1, (f, shown[f], want[f])
print(len(rows), "rows")
END

expect 0 "$xenalyze" --export speedscope:mix.speedscope \
    --export collapsed:mix.txt mix
# The patterns are of the table of frames, the last part of the page that comes.
load mix.speedscope '%\) +vmcall'
expect 0 python3 totals.py mix.txt
load mix.txt '%\) +VMCALL'
expect 0 python3 totals.py mix.txt
expect 0 "$xenalyze" export chrome --time 0..0.05 mix -o mix.chrome
load mix.chrome 'pvh2/0 exits'
