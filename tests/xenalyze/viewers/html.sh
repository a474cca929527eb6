#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A page in HTML, read by a decoder in Python: the policy allows its own script
# and style only, all tracks decode, and times and counts equal those of --json.
. "$top_srcdir/tests/xenalyze/viewers/lib.sh"

for trace in $(small_traces); do
    expect 0 "$xenalyze" export html "$trace" -o whole.html
    [ ! -s err ] || fail "$trace: $(cat err)"
    expect 0 "$xenalyze" --json --why "$trace"
    mv out whole.json
    expect 0 python3 "$viewers/read-html.py" whole.html whole.json
    [ "$trace" != mix ] || grep -q '^matrix 3, hidden 0, pieces [1-9]' out ||
        fail "$(cat out)"
    [ "$trace" != mix ] ||
        grep -q 'exits [1-9].* levels [2-9].* verdict [1-9]' out ||
        fail "$(cat out)"
    [ "$trace" != mix ] || grep -q '^wake-ups [1-9]' out || fail "$(cat out)"
    [ "$trace" != lossy ] || grep -q 'lost [1-9]' out || fail 'nothing is lost'
done

# The headline is that of `why`.
expect 0 "$xenalyze" why mix
head -n 1 out >headline
expect 0 "$xenalyze" export html mix -o whole.html
grep -qF "\"$(cat headline)\"" whole.html || fail 'another headline than why'

# More domains waited than the matrix has rows, and the same for any threads.
play crowd -T 0.1 --cpus 2 --kind pv --domains 70
expect 0 "$xenalyze" export html crowd -o whole.html
expect 0 "$xenalyze" --json --why crowd
mv out whole.json
expect 0 python3 "$viewers/read-html.py" whole.html whole.json
grep -q '^matrix 64, hidden [1-9]' out || fail "$(cat out)"
expect 0 "$xenalyze" export html --threads 1 crowd -o part.html
cmp whole.html part.html || fail 'threads change the page'

# A selected part has no verdict, since that compares all vcpus.
expect 0 "$xenalyze" export html --vcpu d2v0 --time 0.1..0.2 mix
mv out part.html
expect 0 python3 "$viewers/read-html.py" part.html
grep -q '^vcpus pvh2/0$' out || fail "other vcpus than selected: $(cat out)"
grep -q 'exits [1-9].* verdict 0$' out || fail "$(cat out)"
grep -q '^matrix 0, hidden 0, pieces 0$' out || fail "$(cat out)"
sed -n '/^"vcpus":/,$s/^\[\([0-9]*,[0-9]*\),".*/\1/p' part.html >rows
[ "$(cat rows)" = 2,0 ] || fail "rows of other vcpus: $(cat rows)"
expect 0 "$xenalyze" export html --pcpu 1 mix -o part.html
expect 0 python3 "$viewers/read-html.py" part.html
grep -q '^"pcpus":\[$' part.html && sed -n '/^"pcpus":/,/^"vcpus":/p' part.html |
    grep -q '^\[[02],' && fail 'another pcpu than selected'

# Two boots, one after the other.
cat mix mix >twice
expect 0 "$xenalyze" export html twice -o part.html
expect 0 python3 "$viewers/read-html.py" part.html

# Hostile names are text: of the file, of a domain, and very long.
compose_names
expect 0 "$xenalyze" export html names -o part.html
expect 0 python3 "$viewers/read-html.py" part.html
grep -qF '</script><!--/0 <img/src=x/onload="/1' out || fail "$(cat out)"
deep=$(printf '%0200d' 0 | tr 0 '<')
deeper=$deep/$deep/$deep
mkdir -p "$deeper"
cp mix "$deeper/mix"
for trace in "$hostile" "$deeper/mix"; do
    expect 0 "$xenalyze" export html "$trace" -o part.html
    expect 0 python3 "$viewers/read-html.py" part.html
done
expect 0 "$xenalyze" export html "$hostile" -o part.html
expect 0 python3 -c 'import json, re, sys
page = open(sys.argv[1], encoding="utf-8").read()
text = re.search(r"id=.facts.>(.*?)</script>", page, re.S).group(1)
bad = "\ufffd"
want = "a\"\\;<script>b" + bad + "[31m" + 3 * bad + " 1"
assert json.loads(text)["trace"] == want, ascii(json.loads(text)["trace"])
assert "<" not in text and "\033" not in page' part.html
