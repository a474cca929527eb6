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

# --- commands ----------------------------------------------------------------

# Names of 63 bytes, with wide, control and special characters.
python3 - >hostile.lines <<'END'
import struct
names = [b"a" * 63, "\u6f22".encode() * 21, b"\x1b[31m" + b"r" * 58,
         b"%s%n, \\" * 9, b"\xff" * 63, b"two\nlines\t" * 6, b"d7v0", b" " * 63]
for dom, name in enumerate(names):
    parts = (len(name) + 23) // 24
    print("0 - 0x1f08b %d 0 0 0 0" % (dom | 1 << 16))
    print("0 - 0x1f090 %d 1 2 3 4" % dom)
    for part in range(parts):
        piece = name[24 * part:24 * part + 24].ljust(24, b"\0")
        print("0 - 0x1f08c %d" % (dom | part << 16 | parts << 24),
              *struct.unpack("<6I", piece))
for kind, text in (11, b"--long=" + b"x" * 300), (12, b"two words " * 30):
    parts = (len(text) + 23) // 24
    for part in range(parts):
        piece = text[24 * part:24 * part + 24].ljust(24, b"\0")
        print("0 - 0x1f087 %d" % (kind | part << 16 | parts << 24),
              *struct.unpack("<6I", piece))
for dom in range(8):
    pcpu, id = dom % 4, dom << 16
    t = 1000000 + 2000000 * (dom // 4)
    print(pcpu, t, "0x21101", id)
    print(pcpu, t + 100000, "0x81002 28 0x1000")
    print(pcpu, "- 0x82007 3 0x%x000" % (0xabcdef0123 + dom))
    print(pcpu, "- 0x82004 %d 0" % (48 + dom))
    print(pcpu, t + 200000, "0x81001")
    print(pcpu, t + 1500000, "0x21011", id)
    print(pcpu, t + 1500000, "0x21101", 0x7fff0000 | pcpu)
    print(pcpu, t + 1900000, "0x1f001 4294967295 0xffff", t + 1600000, "0")
    print(pcpu, t + 2000000, "0x21011", 0x7fff0000 | pcpu)
END
"$top_builddir/tests/xenalyze/reports/compose" <hostile.lines >hostile ||
    fail "no hostile trace"

# Lines of valid UTF-8 without control characters, in 80 columns, two of them for
# a wide character.
cat >fits.py <<'END'
import sys, unicodedata
for line in sys.stdin.buffer:
    text = line.decode().rstrip("\n")
    columns = sum(2 if unicodedata.east_asian_width(c) in "WF" else 1
                  for c in text)
    if columns > 80 or any(unicodedata.category(c)[0] == "C" for c in text):
        sys.exit(text)
END

# fits FILE: 80 columns of printable characters
fits() {
    LC_ALL=C awk 'length > 80 || /[^ -~]/' "$1" >wide
    [ ! -s wide ] || python3 fits.py <wide || fail "$2: $(head -n 3 wide | od -c | head -n 20)"
    [ -s "$1" ] || fail "$2: empty"
    nr=$((nr + 1))
}

commands='pcpus
over run --every 100us
over wait --every 100us
over exits --domain 1
over exits --domain 2
over interrupts --domain 3
over grants --domain 4
io
latency
count
info
over cr3 --every 1ms
--report-overview'
nr=0
for trace in hostile long p64; do
    echo "$commands" >list
    while read -r command; do
        # shellcheck disable=SC2086 # words
        expect 0 "$xenalyze" $command --cpu-hz 1000000000 $trace
        fits out "$trace, $command"
    done <list
done
[ "$nr" -eq 39 ] || fail "only $nr commands"

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
for report in latency exits pcpus wakeups summary count info 'over run'; do
    options=
    [ "$report" != 'over run' ] || options='--every 100us'
    # shellcheck disable=SC2086 # words
    expect 0 "$xenalyze" $report $options p512
    mv out piped
    grep -qF "$hint" piped && fail "$report: cut in a pipe"
    on_terminal all $report $options --top=0 p512
    cmp -s all piped || fail "$report: --top=0 does not print all"
    on_terminal cut $report $options p512
    [ "$(tail -n 1 cut)" = "$hint" ] || fail "$report: no hint"
    most=350
    [ "$report" = summary ] && most=600
    awk 'length > 80' cut >wide
    case $report in summary) : ;; *) [ ! -s wide ] ||
        fail "$report: $(head -n 3 wide)" ;; esac
    [ "$(wc -l <cut)" -le $most ] ||
        fail "$report: $(wc -l <cut) lines for 512 pcpus"
    times=4
    [ "$report" != count ] || times=1
    [ $((times * $(wc -l <cut))) -lt "$(wc -l <piped)" ] ||
        fail "$report: not cut"
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

# Intervals: the first 20.
on_terminal cut over run --every 1ms p8
[ "$(grep -c '%$' cut)" -eq 20 ] || fail "over run: $(grep -c '%$' cut) rows"
[ "$(tail -n 1 cut)" = "$hint" ] || fail "over run: no hint"

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

# in_tmux WORD...: the lines of 80 columns are those of any terminal
in_tmux() {
    tmux -S "$screen" -f /dev/null new-session -d -x 80 -y 2000 \
        "PAGER=cat '$xenalyze' --no-progress $*; tmux -S '$screen' wait-for -S done; sleep 30" ||
        fail "tmux does not start"
    tmux -S "$screen" wait-for done
    tmux -S "$screen" capture-pane -p | sed '/^$/d' >seen
    tmux -S "$screen" kill-server
    on_terminal with_blanks "$@"
    sed -e 's/ *$//' -e '/^$/d' with_blanks >want
    cmp -s seen want || {
        diff seen want | head -n 5 >&2
        fail "$*: tmux at 80 columns shows other lines"
    }
    nr=$((nr + 1))
}

in_tmux latency long
for trace in hostile p512; do
    for command in pcpus 'over run' 'over wait' 'over exits --domain 1' \
        'over interrupts --domain 1' 'over cr3' io count info; do
        in_tmux "$command" $trace '2>/dev/null'
    done
done
echo "$nr reports"

# A time of 100,000 s and more leaves a blank between columns.
"$top_builddir/tests/xenalyze/reports/compose" >years <<'END'
0 1000000 0x21101 0x10000
1 1000000 0x21101 0x10001
0 100000000 0x21011 0x10000
1 100000000 0x21011 0x10001
END
while read -r hz time; do
    for command in pcpus summary; do
        expect 0 "$xenalyze" --cpu-hz "$hz" $command years
        grep -qE "^ 0 .*[0-9]\.[0-9]{2} +$time\$" out ||
            fail "$command of $time: $(grep '^ 0 ' out)"
        own <out >ours
        awk 'length > 80' ours >wide
        [ ! -s wide ] || fail "$command of $time: $(cat wide)"
    done
done <<'END'
991 99899s
500 198ks
10 9900ks
1 99Ms
END
