#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# SVG files are well-formed, and gnuplot runs our scripts without messages, even
# with special characters of shells and of both formats in a name.
. "$top_srcdir/tests/xenalyze/reports/lib.sh"

command -v rsvg-convert >/dev/null || command -v gnuplot >/dev/null ||
    skip "there is neither rsvg-convert nor gnuplot"

# draws TRACE OPTION...
draws() {
    trace=$1
    shift
    expect 0 "$xenalyze" "$@" --plot p.svg --gnuplot p.gp "$trace"
    if command -v rsvg-convert >/dev/null; then
        expect 0 rsvg-convert p.svg -o p.png
        [ "$(wc -c <p.png)" -gt 2000 ] || fail "$*: an empty picture"
    fi
    if command -v gnuplot >/dev/null; then
        expect 0 gnuplot -e 'set terminal dumb 200 60' p.gp
        [ ! -s err ] || fail "$*: gnuplot: $(cat err)"
        [ "$(wc -l <out)" -gt 40 ] || fail "$*: gnuplot draws nothing"
        # No display: a file instead of nothing.
        rm -f ./*.png
        expect 0 env -u DISPLAY -u WAYLAND_DISPLAY -u GNUTERM gnuplot p.gp
        find . -name '*.png' -size +1k | grep -q . ||
            fail "$*: gnuplot without a display writes no picture"
        rm -f ./*.png
    fi
}

# shellcheck disable=SC2016 # literal
name='it'"'"'s <a> "b" & `c` $d \e @f_{g}'
head -c 400000 intel >"$name"
for what in "" --scatterplot-runstate --scatterplot-runstate-time \
    --scatterplot-pcpu --scatterplot-vmexit-eip --scatterplot-extint-cycles=240; do
    # shellcheck disable=SC2086 # may be nothing
    draws "$name" $what
done
seq 0 299 | awk '{ print $1, "+ 0x21101", 65536 + $1
                   print $1, "+ 0x21021", 65536 + $1 }' | compose wide
draws wide
draws wide --scatterplot-runstate
# Without points the picture is empty.
expect 0 "$xenalyze" --scatterplot-io=1 --plot p.svg --gnuplot p.gp wide
