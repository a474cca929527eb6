#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# speedscope itself, in Chromium without a window: loads our files, and the
# totals of its own format equal ours.  SPEEDSCOPE is the folder dist/release of
# its package; by default, npm fetches it.
. "$top_srcdir/tests/xenalyze/viewers/lib.sh"

version=1.25.0
command -v chromium >/dev/null || skip "there is no chromium"
if [ -z "${SPEEDSCOPE:-}" ]; then
    command -v npm >/dev/null || skip "there is no npm to fetch speedscope"
    timeout 60 npm pack --silent speedscope@$version >npm.out 2>&1 &&
        tar xzf speedscope-$version.tgz ||
        skip "npm cannot fetch speedscope: $(tail -n 1 npm.out)"
    SPEEDSCOPE=$tmp/package/dist/release
fi
[ -f "$SPEEDSCOPE/index.html" ] || fail "$SPEEDSCOPE is not speedscope"

# load FILE: the page of speedscope with this file as text, in the file page
load() {
    python3 -c 'import base64, sys
data = base64.b64encode(open(sys.argv[1], "rb").read()).decode()
print("speedscope.loadFileFromBase64(%r, %r)" % (sys.argv[1], data))' \
        "$1" >profile.js
    timeout 120 chromium --headless=new --no-sandbox --disable-gpu \
        --use-gl=angle --use-angle=swiftshader --enable-unsafe-swiftshader \
        --allow-file-access-from-files --virtual-time-budget=8000 \
        --user-data-dir="$tmp/chromium" --dump-dom \
        "file://$SPEEDSCOPE/index.html#localProfilePath=$tmp/profile.js&view=sandwich" \
        >page 2>err || fail "chromium: $(tail -n 3 err)"
    grep -q '<title>[^<]* - speedscope' page || fail "$1 does not load"
}

cat >totals.py <<'END'
import collections, re, sys

UNITS = {"ns": 1, "\u00b5s": 1e3, "ms": 1e6, "s": 1e9}
text = re.sub("<[^>]*>", " ", open("page", encoding="utf-8").read())
shown = {name: float(n) * UNITS[unit] for n, unit, name in re.findall(
    r"([0-9.]+)(ns|\u00b5s|ms|s) \([^)]*\) +[0-9.]+(?:ns|\u00b5s|ms|s) "
    r"\([^)]*\) +(\S+)", re.sub(r"\s+", " ", text))}
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
load mix.speedscope
expect 0 python3 totals.py mix.txt
load mix.txt
expect 0 "$xenalyze" export chrome --time 0..0.05 mix -o mix.chrome
load mix.chrome
grep -q 'pvh2/0 exits' page || fail 'a file for chrome has no threads'
