#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The facts are the same however a trace is read: in one thread or many, by pcpu
# or by time, as a file or as a stream. (In a stream the last record of a pcpu
# is unknown, and so are facts of domains at the very end.)
. "$top_srcdir/tests/xenalyze/facts/lib.sh"

same() {
    what=$1
    shift
    play --duration=200ms "$@"
    same_trace
}

same_trace() {
    expect 0 "$facts" sums trace
    mv out expected
    grep -v '^d[0-9]* ' expected >expected-S
    [ "$(wc -l <expected)" -gt 50 ] || fail "$what: too few facts"
    for how in "-t 2" "-t 3" "-t 8" "-o" ${1-"-S"}; do
        # shellcheck disable=SC2086
        expect 0 "$facts" $how sums trace
        as=expected
        if [ "$how" = -S ]; then
            as=expected-S
            grep -v '^d[0-9]* ' out >some
            mv some out
        fi
        cmp -s $as out || {
            diff $as out | head -n 4 >&2
            fail "$what: $how differs"
        }
    done
}

same "some pcpus" --seed=5
same "many pcpus" --seed=6 -c 40 --rate=2k
same "all at once" --seed=7 -c 2 --rate=0 --interrupts=10k

# Two traces in one file, so time restarts in the middle.
cp trace second
play --duration=100ms --seed=10
cat trace >>second
mv second trace
what="one behind the other"
same_trace

# LOST records with a damaged begin: before the pcpu's last record, or after the
# LOST record itself.
cat >damage.py <<'END'
import struct

data = bytearray(open("trace", "rb").read())
lost = struct.pack("<I", 0xc001f001)
wrong = (0, 1, 2**64 - 1, -10**6, 10**6)
at, nr = data.find(lost), 0
while at >= 0:
    if nr % 2:
        value = wrong[nr // 2 % 5]
        if abs(value) == 10**6:
            value += struct.unpack_from("<Q", data, at + 20)[0]
        struct.pack_into("<Q", data, at + 20, value)
    at, nr = data.find(lost, at + 32), nr + 1
open("trace", "wb").write(data)
assert nr > 10, "%d losses" % nr
END
if command -v python3 >/dev/null; then
    play --duration=200ms --seed=11 --boot tbuf_size=2 --drain 20ms
    expect 0 python3 damage.py
    what="damaged losses"
    same_trace ""
fi

# spent FILE: the total time of each vcpu and pcpu, and the number of exits
spent() {
    awk -F': ' '
        / all: / { split($2, n, " "); sum[$1] += n[2] }
        / exit / { split($2, n, " "); sum[$1] += n[1] }
        END { for ( what in sum ) printf "%s %.0f\n", what, sum[what] }' "$@" | sort
}

# The halves of a trace are the whole.
play --duration=200ms --seed=8
expect 0 "$facts" list trace
middle=$(awk '$1 == "first" { printf "%.0f\n", $2 + 240000000 }' out)
for part in "" "-u $((middle - 1))" "-f $middle"; do
    # shellcheck disable=SC2086
    expect 0 "$facts" $part sums trace
    mv out "part$part"
done
spent part >whole
spent "part-u $((middle - 1))" "part-f $middle" >halves
[ "$(wc -l <whole)" -gt 20 ] || fail "nothing to halve"
# A cycle is between the two borders.
awk '
    { n = $NF; NF-- }
    NR == FNR { whole[$0] = n; next }
    n != whole[$0] && n + 1 != whole[$0] { print $0, whole[$0], n; bad = 1 }
    END { exit bad }' whole halves >differ || {
    head -n 4 differ >&2
    fail "two halves are not the whole"
}
