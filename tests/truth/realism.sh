#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Compare xensim with real Xen.  For some recorded traces of real machines
# beside the tree there is a scenario here that describes the same machine.
# Both are measured: records per second of each pcpu by subclass, runstate
# changes by kind, and the number of consecutive records from one pcpu in time
# order.
#
# The table is for people.  The test fails if a subclass is missing or invented,
# or differs by more than a factor of three.
. "$top_srcdir/tests/truth/lib.sh"

data=$top_srcdir/../shared/data/xen
[ -d "$data" ] || skip "there are no real traces beside the tree"

# event_counts TRACE: id, records
event_counts() {
    expect 0 "$xenalyze" --info "$1"
    sed -nE 's/^  ([0-9a-f]{8}) +([0-9]+)( .*)?$/\1 \2/p' out
}

# rows TRACE: seconds from the first to the last time stamp of all pcpus, mean
# number of consecutive records of one pcpu, and number of such runs.  Assumes
# 2.4 GHz, the clock of all of these machines.
rows() {
    od -An -v -tu4 -w4 "$1" | awk '
        function next_word(    n) {
            getline n
            return n + 0
        }
        {
            header = $1
            timed = header >= 2147483648
            words = int(header / 268435456) % 8
            id = header % 268435456
            if ( id == 126979 ) {           # CPU_CHANGE
                cpu = next_word()
                next_word()
                next
            }
            if ( timed ) {
                low = next_word()
                tsc = next_word() * 4294967296 + low
                printf "%.0f %d\n", tsc, cpu
            }
            for ( i = 0; i < words; i++ )
                next_word()
        }' | sort -n | awk '
        NR == 1 { first = $1 }
        $2 != last { rows++ }
        { last = $2; end = $1 }
        END { printf "%.3f %.1f %d\n", (end - first) / 2.4e9, NR / rows, rows }'
}

wrong=0

# compare FOLDER PCPUS MASK: play the file scenario, and compare the result with
# a real trace that was recorded with this mask
compare() {
    name=$1
    pcpus=$2
    mask=$3
    [ -f "$data/$name/trace.bin" ] || return
    rows "$data/$name/trace.bin" >real.rows
    read -r seconds run_length changes <real.rows
    play -T "$seconds" --cpus "$pcpus" -f scenario \
        --boot "tbuf_size=32 tevt_mask=$mask"
    rows trace >play.rows
    sed '1d; s/^ *//' "$data/$name/counts.txt" >real.counts
    event_counts trace >play.counts
    awk -v name="$name" -v s="$seconds" -v n="$pcpus" -v run_length="$run_length" \
        -v played="$(cut -d' ' -f2 play.rows)" -v rows="$changes" '
        function subclass(id) { return substr(id, 4, 2) }
        function hex(c) { return index("0123456789abcdef", c) - 1 }
        # A runstate change by its kind, other records by class and subclass.
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
                # Fewer than 50 records have no reliable rate.
                if ( r * s * n >= 50 && (p > 3 * r || p * 3 < r) )
                    { line = line "  too far"; bad = 1 }
                print line | "sort"
            }
            close("sort")
            printf "  %-34s %10.1f %8.1f %6.2f\n", "records in a row", \
                   run_length, played, played / run_length
            if ( rows >= 50 && (played > 3 * run_length || played * 3 < run_length) )
                bad = 1
            exit bad
        }' real.counts play.counts || wrong=1
}

# Traces of machines in QEMU: no C-states, few interrupts, slow VM exits.
common='cstates = no
interrupts = 1
nmis = 0'

# quiet_dom0 PERIOD DUTY
quiet_dom0() {
    printf '[domain Domain-0]\nvcpus = 2\nload = quiet\n'
    printf 'period = %s\nduty = %s\n' "$1" "$2"
}

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
$(quiet_dom0 48ms 4)
END
compare dom0-idle-all 2 0xffff000

cat >scenario <<END
$common
rate = 1k
scheduler = null
$(quiet_dom0 48ms 2)
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
$(quiet_dom0 48ms 4)
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
$(quiet_dom0 55ms 2)
END
compare master-idle-all 2 0xffff000

exit $wrong
