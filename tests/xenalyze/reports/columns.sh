#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Our own tables fit into 80 columns, with many pcpus and names as long as a
# scenario allows.  On a terminal, long tables show the top 20 rows, and a line
# says how to see all; tables that fit are as in a pipe.
. "$top_srcdir/tests/tools/lib.sh"

[ -x "$xensim" ] || skip "there is no xensim"
cd "$tmp" || exit 99

long=abcdefghijklmnopqrstuvwxyz-
{
    echo 'cpus = 8'
    for i in 1 2 3 4 5 6 7; do
        printf '[domain %s%s]\nkind = hvm\nvcpus = 4\nload = io,busy,bursty\n' \
            "$i" $long
    done
} >long.scenario

# own: without the lines of stock, which have their own width
own() {
    sed -nE '/^--- (Domain names|Where the time)/,$p'
}

nr=0
while read -r name options; do
    # shellcheck disable=SC2086 # options are words
    "$xensim" --virtual $options -o "$name" >/dev/null ||
        fail "xensim $options"
    for report in latency wakeups migrations overview pcpu; do
        expect 0 "$xenalyze" --report-$report "$name"
        awk 'length > 80' out >wide
        [ ! -s wide ] || fail "$name, $report: $(head -n 3 wide)"
        nr=$((nr + 1))
    done
    expect 0 "$xenalyze" --summary "$name"
    own <out >ours
    grep -q '^--- Where the time went' ours || fail "$name: no table of time"
    awk 'length > 80' ours >wide
    [ ! -s wide ] || fail "$name, summary: $(head -n 3 wide)"
done <<'END'
p8 --cpus 8 -T 0.5
long -f long.scenario -T 0.5
p64 --cpus 64 -T 0.1
long64 -f long.scenario --cpus 64 -T 0.1
END
[ "$nr" -eq 20 ] || fail "only $nr reports"

# A name that is cut ends in ~ and the id of its domain.
expect 0 "$xenalyze" --report-latency long
grep -qE '^ 1abcdefghijk~1/0 +[0-9]+ ' out || fail "no name that is cut"

# Big numbers of lost records.
awk 'BEGIN {
    for ( i = 0; i < 3000; i++ ) {
        t = 1000000 + 1000000 * i
        print "0 " t " 0x21101 0x10000"
        print "0 " t + 500000 " 0x1f001 0xfffffff 0xffff0001 " t + 100000 " 0"
    }
}' | "$top_builddir/tests/xenalyze/reports/compose" >lost
expect 0 "$xenalyze" --cpu-hz 1000k --summary lost
own <out >ours
grep -q '^ records lost: 8[0-9]* in [0-9]* gaps' ours || fail "nothing was lost"
awk 'length > 80' ours >wide
[ ! -s wide ] || fail "lost: $(head -n 3 wide)"

# --- on a terminal -----------------------------------------------------------

script -qec true /dev/null </dev/null >/dev/null 2>&1 ||
    skip "no pty: script(1) is missing; $nr reports in a pipe fit"

# on_terminal FILE OPTION...: the output on a terminal
on_terminal() {
    to=$1
    shift
    script -qec "PAGER=cat '$xenalyze' --no-progress $*" /dev/null \
        </dev/null | tr -d '\r' >"$to"
}

hint='Long tables show the top 20 rows; --top=0 prints all rows.'
"$xensim" --virtual --cpus 512 -T 0.02 -o p512 >/dev/null || fail "512 pcpus"
for report in latency exits pcpus wakeups summary; do
    expect 0 "$xenalyze" $report p512
    mv out piped
    grep -qF "$hint" piped && fail "$report: cut in a pipe"
    on_terminal all $report --top=0 p512
    cmp -s all piped || fail "$report: --top=0 does not print all"
    on_terminal cut $report p512
    [ "$(tail -n 1 cut)" = "$hint" ] || fail "$report: no hint"
    most=350
    [ $report = summary ] && most=600
    [ "$(wc -l <cut)" -le $most ] ||
        fail "$report: $(wc -l <cut) lines for 512 pcpus"
    [ $((4 * $(wc -l <cut))) -lt "$(wc -l <piped)" ] || fail "$report: not cut"
done
on_terminal cut summary p512
for left in '^ - 509 more pcpus -$' '^[|]-- [0-9]* more domains --[|]$'; do
    grep -q "$left" cut || fail "the summary does not say what it leaves out"
done
on_terminal cut latency p512
awk '/^---/ { n = 0; next } /^ [^ ]+\/[0-9]+ +[0-9]+ / { n++ }
     n > 20 { exit 1 }' cut || fail "more than 20 rows"
on_terminal cut latency --top=3 p512
grep -qF "$hint" cut && fail "--top=3: a hint"

# 20 rows fit.
for report in latency exits; do
    expect 0 "$xenalyze" $report --domain 1-4 p8
    on_terminal seen $report --domain 1-4 p8
    [ $report = exits ] || cmp -s seen out ||
        fail "$report: a terminal changes tables that fit"
done

# --- in tmux -----------------------------------------------------------------

command -v tmux >/dev/null || {
    echo "$nr reports; tmux is missing"
    exit 0
}
screen=$tmp/screen
tmux -S "$screen" -f /dev/null new-session -d -x 80 -y 2000 \
    "PAGER=cat '$xenalyze' --no-progress latency long; tmux -S '$screen' wait-for -S done; sleep 30" ||
    fail "tmux does not start"
tmux -S "$screen" wait-for done
tmux -S "$screen" capture-pane -p | sed '/^$/d' >seen
tmux -S "$screen" kill-server
on_terminal want latency long
cmp -s seen want || {
    diff seen want | head -n 5 >&2
    fail "tmux at 80 columns shows other lines"
}
echo "$nr reports"
