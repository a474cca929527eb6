#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A trace without readings of dom0's clock: the place of events is estimated
# from accesses to emulated devices, and the printed error is true.
. "$top_srcdir/tests/xenalyze/reports/lib.sh"

command -v python3 >/dev/null || skip "there is no python3 to change a trace"

# strip.py IN OUT EVENT...: leave out windows that begin with one of these
cat >strip.py <<'END'
import struct, sys
data, out, at = open(sys.argv[1], "rb").read(), [], 0
events = {int(e, 0) for e in sys.argv[3:]}
while at < len(data):
    magic, cpu, size = struct.unpack_from("<3I", data, at)
    end = at + 12 + size
    first = struct.unpack_from("<I", data, at + 12)[0] & 0x0fffffff
    if first not in events:
        out.append(data[at:end])
    at = end
open(sys.argv[2], "wb").write(b"".join(out))
END

# judge OPTION...: the true times of all events, within the printed error
judge() {
    expect 0 "$xensim" --virtual --boot tbuf_size=256 "$@" -o xen \
        --programs programs
    expect 0 "$xenalyze" --records xen programs
    awk '$1 == "-"' out >want
    expect 0 python3 strip.py xen bare 0x1f083
    expect 0 "$xenalyze" --records bare programs
    awk '$1 == "-"' out >got
    cat err
    expect_message 'is estimated from accesses to emulated devices'
    error=$(sed -n 's/.* with an error of \([0-9.]*\) \([num]*s\);.*/\1 \2/p' \
        err | awk '{ print $1 * ($2 == "us" ? 1000 : $2 == "ms" ? 1e6 : 1) }')
    [ -n "$error" ] || fail 'no error is printed'
    paste -d '|' got want | awk -v ns="$error" -F '|' '{
        split($1, a, " "); split($2, b, " ")
        apart = a[2] > b[2] ? a[2] - b[2] : b[2] - a[2]
        if ( apart > most ) most = apart
        if ( a[3] != b[3] ) bad = 1
    } END {
        printf "%d events are off by %.0f ns, printed: %d\n", NR, most / 2.4, ns
        exit bad || !NR || most / 2.4 > ns + 100
    }' || fail 'events are further off than printed'
    awk -v ns="$error" 'BEGIN { exit ns > 10000 }' ||
        fail "an error of $error ns"
}

judge -T 2 --kind hvm --cpus 3
judge -T 1 --kind hvm --cpus 8 --domains 5 --seed 9
judge -T 1 --kind hvm --cpus 1 --domains 4 --load busy

# Without a frequency there is no estimate; with one given by the user, there is.
expect 0 python3 strip.py xen none 0x1f083 0x1f082
expect 1 "$xenalyze" dump none programs
expect_message 'give the frequency with --cpu-hz'
expect 0 "$xenalyze" --cpu-hz 2.4G dump none programs
grep -q 'is estimated' err || fail 'no estimate with --cpu-hz'

# A wrong frequency, or a trace of another run: few events fit.
expect 1 "$xenalyze" --cpu-hz 2G dump none programs
grep -q 'has no place in the trace of Xen' err || fail 'a wrong frequency fits'
expect 0 "$xensim" --virtual --boot tbuf_size=256 -T 1 --seed 77 --kind hvm \
    --cpus 4 -o other --programs others
expect 1 "$xenalyze" dump bare others
expect_message 'boot id differs'

# A trace without accesses to emulated devices.
expect 0 "$xensim" --virtual --boot tbuf_size=256 -T 1 --kind pv -o pv
expect 0 python3 strip.py pv bare 0x1f083 0x1f088
expect 1 "$xenalyze" dump bare programs
grep -q ': 0 of [0-9]* events can be' err || fail 'no reason'
[ -s out ] && fail 'lines without a clock'
exit 0
