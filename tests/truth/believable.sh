#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# How close the play comes to real Xen.  Beside the tree are traces of real
# machines; for some of them there is a scenario here that describes the same
# machine, and both are measured: records a second of each pcpu by subclass,
# changes of runstate by kind, and how many records of a pcpu come in a row
# before another pcpu's, in order of time.
#
# The table is for people.  What fails is a subclass that is missing or
# invented, or one that is off by more than a factor of three.
. "$top_srcdir/tests/truth/lib.sh"

data=$top_srcdir/../shared/data/xen
[ -d "$data" ] || skip "there are no real traces beside the tree"

# counts TRACE: id, records
counts() {
    expect 0 "$xenalyze" --info "$1"
    sed -nE 's/^  ([0-9a-f]{8}) +([0-9]+)( .*)?$/\1 \2/p' out
}

# rows TRACE: seconds from the first to the last time stamp of all pcpus; the
# mean number of records in a row; and how many rows there are.  2.4 GHz, as
# all of these machines have.
rows() {
    od -An -v -tu4 -w4 "$1" | awk '
        function take(    n) {
            getline n
            return n + 0
        }
        {
            header = $1
            timed = header >= 2147483648
            words = int(header / 268435456) % 8
            id = header % 268435456
            if ( id == 126979 ) {           # CPU_CHANGE
                cpu = take()
                take()
                next
            }
            if ( timed ) {
                low = take()
                tsc = take() * 4294967296 + low
                printf "%.0f %d\n", tsc, cpu
            }
            for ( i = 0; i < words; i++ )
                take()
        }' | sort -n | awk '
        NR == 1 { first = $1 }
        $2 != last { rows++ }
        { last = $2; end = $1 }
        END { printf "%.3f %.1f %d\n", (end - first) / 2.4e9, NR / rows, rows }'
}

wrong=0

# compare FOLDER PCPUS MASK: what stands in the file scenario, beside a trace
# that was taken with this mask
compare() {
    name=$1
    pcpus=$2
    mask=$3
    [ -f "$data/$name/trace.bin" ] || return
    rows "$data/$name/trace.bin" >real.rows
    read -r seconds stretch changes <real.rows
    play -T "$seconds" --cpus "$pcpus" -f scenario \
        --boot "tbuf_size=32 tevt_mask=$mask"
    rows trace >play.rows
    sed '1d; s/^ *//' "$data/$name/counts.txt" >real.counts
    counts trace >play.counts
    awk -v name="$name" -v s="$seconds" -v n="$pcpus" -v stretch="$stretch" \
        -v ours="$(cut -d' ' -f2 play.rows)" -v rows="$changes" '
        function subclass(id) { return substr(id, 4, 2) }
        function hex(c) { return index("0123456789abcdef", c) - 1 }
        # A runstate by its kind, all others by class and subclass.
        function kind(id) {
            if ( id ~ /^00021[0-9]+1$/ && id != "00021001" )
                return "runstate " hex(substr(id, 6, 1)) "->" \
                       hex(substr(id, 7, 1))
            return "class " substr(id, 1, 5)
        }
        $1 ~ /^0001f/ { next }
        NR == FNR { real[kind($1)] += $2; all[kind($1)]; next }
        { play[kind($1)] += $2; all[kind($1)] }
        END {
            printf "%s: records a second and pcpu%10s %8s %6s\n", name, \
                   "real", "played", "ratio"
            for ( k in all ) {
                r = real[k] / s / n
                p = play[k] / s / n
                line = sprintf("  %-34s %10.1f %8.1f %6s", k, r, p, \
                               r ? sprintf("%.2f", p / r) : "-")
                # Too few to say how many there should be.
                if ( r * s * n >= 50 && (p > 3 * r || p * 3 < r) )
                    { line = line "  too far"; bad = 1 }
                print line | "sort"
            }
            close("sort")
            printf "  %-34s %10.1f %8.1f %6.2f\n", "records in a row", \
                   stretch, ours, ours / stretch
            if ( rows >= 50 && (ours > 3 * stretch || ours * 3 < stretch) )
                bad = 1
            exit bad
        }' real.counts play.counts || wrong=1
}

# Traces of machines in QEMU: no C-states, few interrupts, slow exits.
common='cstates = no
interrupts = 1
nmis = 0'

cat >scenario <<END
$common
rate = 5k
[domain Domain-0]
vcpus = 2
load = quiet
period = 40ms
duty = 8
[domain pv1]
kind = pv
vcpus = 2
load = busy
emulated-tsc = yes
END
compare c2-pv1-mix-all 2 0xffff000

cat >scenario <<END
$common
rate = 3k
[domain Domain-0]
vcpus = 2
load = quiet
period = 48ms
duty = 4
END
compare dom0-idle-all 2 0xffff000

cat >scenario <<END
$common
rate = 1k
scheduler = null
[domain Domain-0]
vcpus = 2
load = quiet
period = 48ms
duty = 2
[domain pv1]
kind = pv
vcpus = 2
load = busy
END
compare null-real-sched 6 0x2f000

cat >scenario <<END
$common
rate = 10k
vendor = amd
[domain Domain-0]
vcpus = 2
load = quiet
period = 48ms
duty = 4
[domain pvh1]
kind = pvh
vcpus = 1
load = busy
emulated-tsc = yes
END
compare svm-pvh-hvm 2 0x8f000
compare svm-pvh-sched 2 0x2f000

cat >scenario <<END
$common
rate = 10k
layout = master
[domain Domain-0]
vcpus = 2
load = quiet
period = 55ms
duty = 2
END
compare master-idle-all 2 0xffff000

exit $wrong
