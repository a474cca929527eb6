# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# What the tests of faults share.  To be sourced.

. "${top_srcdir:?run this by make check}/tests/tools/lib.sh"

[ -x "$xensim" ] || skip "there is no xensim"
addup=$top_builddir/tests/fault/add-up
liar=$top_builddir/tests/fault/liar
pester=$top_builddir/tests/fault/pester
setsize=$top_builddir/tools/xentrace/xentrace_setsize
export xentrace setsize liar pester
cd "$tmp" || exit 99

# balance WHAT FILE...: each pcpu's events are in the files, or were lost in
# its ring, or are in what xentrace said (in the file `said`) of the output.
balance() {
    what=$1
    shift
    "$addup" "$@" >events 2>damage || {
        cat damage >&2
        fail "$what: a file is damaged"
    }
    sed -nE 's/^xentrace: warning: pcpu ([0-9]+): ([0-9]+) events could not be written$/\1 \2/p' \
        said >unwritten
    sed -nE 's/.*"cpu": ([0-9]+), "emitted": ([0-9]+), "unsure": ([0-9]+),.*"lost": ([0-9]+) .*/\1 \2 \3 \4/p' \
        books >truth
    [ -s truth ] || fail "$what: no books"
    awk '
        FILENAME == "events" { got[$1] = $2 }
        FILENAME == "unwritten" { got[$1] += $2 }
        FILENAME == "truth" {
            sum = got[$1] + $4
            if (sum < $2 || sum > $2 + $3) {
                print "pcpu " $1 ": emitted " $2 " (and " $3 " unsure), lost " \
                      $4 ", accounted for " got[$1] + 0
                bad = 1
            }
            all += $2
        }
        END { exit bad || !all }' events unwritten truth >wrong || {
        cat wrong damage said >&2
        fail "$what: what is in the files and what was lost is not what was"
    }
}

# off WHAT: what the file `state` says of the end.
off() {
    grep -q '^Tracing is off' state || fail "$1: Xen was left tracing"
}
