#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Damage hides records, and what they would have changed: each state of a vcpu
# that is listed for a damaged trace is part of the same state in the ground
# truth.  Zeros replace a span, a few bytes are wrong, windows are missing, the
# trace is cut.  The windows have no seals, or have them.
. "$top_srcdir/tests/xenalyze/facts/lib.sh"

command -v python3 >/dev/null || skip "python3 is not installed"

# damage.py KIND: change the file `whole` into `trace`
cat >damage.py <<'END'
import struct
import sys

data, windows, at = open("whole", "rb").read(), [], 0
while at < len(data):
    size = 12 + struct.unpack_from("<I", data, at + 8)[0]
    windows.append((at, size))
    at += size
large = [w for w in windows if w[1] > 1000]
at, size = large[len(large) // 2]
inside, span = at + size // 2, len(data) // 8
cut = large[-3][0] + large[-3][1] // 2
open("trace", "wb").write({
    "zeros": data[:inside] + bytes(span) + data[inside + span:],
    "bytes": data[:inside] + b"\xff" * 64 + data[inside + 64:],
    "header": data[:at] + b"\xff" * 4 + data[at + 4:],
    "window": data[:at] + data[at + size:],
    "cut": data[:cut],
}[sys.argv[1]])
END

# seal.py: give the windows of `whole` seals
cat >seal.py <<'END'
import struct

table = []
for value in range(256):
    for _ in range(8):
        value = value >> 1 ^ (0x82f63b78 if value & 1 else 0)
    table.append(value)


def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc = table[(crc ^ byte) & 255] ^ crc >> 8
    return crc ^ 0xffffffff


data, out, at, number = open("whole", "rb").read(), [], 0, 0
while at < len(data):
    magic, cpu, size = struct.unpack_from("<III", data, at)
    records = data[at + 12:at + 12 + size]
    head = [magic, cpu, size + 12, 0x2001f080, 0, number]
    head[4] = crc32c(struct.pack("<6I", *head) + records)
    out.append(struct.pack("<6I", *head) + records)
    at, number = at + 12 + size, number + 1
open("whole", "wb").write(b"".join(out))
END

# within TOLD LISTED: print the listed states that are not part of a told one
within() {
    awk '
        NR == FNR { k = $2 $3; from[k, ++n[k]] = $4; to[k, n[k]] = $5; next }
        $5 > $4 {
            k = $2 $3
            for ( i = at[k] ? at[k] : 1; i < n[k] && to[k, i] < $5; i++ ) ;
            at[k] = i
            if ( from[k, i] > $4 || to[k, i] < $5 ) print
        }' "$1" "$2"
}

# list_states: known states of guests, without those that the end cuts
list_states() {
    expect 0 "$facts" list trace
    grep -E '^runstate d[0-9]{1,4}v[0-9]+ (running|runnable|blocked) ' out |
        grep -v ' last$' | sort -k2,3 -k4,4n -s
}

known() {
    awk '{ sum += $5 - $4 } END { printf "%d\n", sum / 1e3 }' "$1"
}

check_damage() {
    expect 0 python3 damage.py "$1"
    list_states >listed
    within told listed >odd
    [ ! -s odd ] || {
        head -n 4 odd >&2
        fail "$what, $1: $(wc -l <odd) states are not in the truth"
    }
    now=$(known listed)
    # A few bytes need not hide a change of a state.
    [ "$now" -lt "$all" ] || [ "$1" = bytes ] ||
        fail "$what, $1: $now of $all: nothing is missing"
    [ "$now" -gt $((all / 2)) ] || fail "$what, $1: $now of $all are known"
    expect 0 "$facts" -t 3 sums trace
    mv out threads
    expect 0 "$facts" -o sums trace
    cmp -s threads out || {
        diff threads out | head -n 4 >&2
        fail "$what, $1: by time differs"
    }
    echo "$what, $1: $now of $all kcycles are known"
}

play --seed=100 --duration=200ms
awk -f "$top_srcdir/tests/truth/field.awk" -f "$analysis/told.awk" truth |
    sed -nE 's/^(still .*)/\1 9e15/p; /^runstate /p' |
    sort -k2,3 -k4,4n -s >told
list_states >listed
[ -z "$(within told listed)" ] || fail "the facts are wrong without damage"
all=$(known listed)
[ "$all" -gt 100000 ] || fail "too little is known"
mv trace whole
what="without seals"
for kind in zeros bytes header cut; do
    check_damage $kind
done
expect 0 python3 seal.py
what="with seals"
for kind in zeros bytes header window cut; do
    check_damage $kind
done
