#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# SVG files are well-formed, short in every line and have tooltips, and gnuplot
# runs our scripts without messages, even with special characters of shells and
# of both formats in a name.
. "$top_srcdir/tests/xenalyze/reports/lib.sh"

# check_svg FILE: elements nest, texts are escaped, and sizes are bounded
check_svg() {
    awk '
        function fail(why) { print FILENAME ": line " NR ": " why; failed = 1 }
        length($0) > 1000000 { fail("longer than 1 MB") }
        { size += length($0) + 1 }
        /<title>/ { titles++; open_title = 1; title_bytes = 0 }
        open_title { title_bytes += length($0) }
        /<\/title>/ { open_title = 0; if (title_bytes > 700) fail("long tip") }
        {
            line = $0
            while (match(line, /<[^>]*>/)) {
                before = substr(line, 1, RSTART - 1)
                tag = substr(line, RSTART, RLENGTH)
                line = substr(line, RSTART + RLENGTH)
                gsub(/&(lt|amp);/, "", before)
                if (before ~ /[&<>]/ && before !~ /^[^<&]*>[^<&]*$/)
                    fail("unescaped: " before)
                name = tag
                sub(/^<\/?/, "", name)
                sub(/[ \/>].*/, "", name)
                if (tag ~ /^<\//) {
                    if (stack[depth--] != name) fail("misplaced " tag)
                } else if (tag !~ /\/>$/)
                    stack[++depth] = name
            }
            if (line ~ /</) fail("an open tag")
        }
        END {
            if (depth) fail("unclosed " stack[depth])
            if (!titles || titles > 6000) fail(titles + 0 " tooltips")
            if (size > 12000000) fail(size " bytes")
            exit failed
        }' "$1" >said || fail "$(cat said)"
}

# draws TRACE OPTION...
draws() {
    trace=$1
    shift
    expect 0 "$xenalyze" "$@" --plot p.svg --gnuplot p.gp "$trace"
    check_svg p.svg
    if command -v xmllint >/dev/null; then
        expect 0 xmllint --noout p.svg
    fi
    if command -v python3 >/dev/null; then
        expect 0 python3 -c 'import xml.etree.ElementTree as e, sys
e.parse(sys.argv[1])' p.svg
    fi
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
    --scatterplot-pcpu --scatterplot-vmexit-eip --scatterplot-extint-cycles=250; do
    # shellcheck disable=SC2086 # may be nothing
    draws "$name" $what
done
# Bytes that are not UTF-8 are replaced.
odd=$(printf 'a\377b\001c')
cp intel "$odd"
draws "$odd"
grep -q '>a?b?c: ' p.svg || fail "bytes that are not UTF-8 in the title"
seq 0 299 | awk '{ print $1, "+ 0x21101", 65536 + $1
                   print $1, "+ 0x21021", 65536 + $1 }' | compose wide
draws wide
draws wide --scatterplot-runstate
# Without points there is no picture.
rm -f p.svg p.gp
expect 1 "$xenalyze" --scatterplot-io=1 --plot p.svg --gnuplot p.gp wide
[ ! -e p.svg ] && [ ! -e p.gp ] || fail "a picture of nothing"

# Names in legend, rows and tooltips; idle time; a state, times and a duration.
expect 0 "$xenalyze" --plot p.svg intel
grep -q '>Domain-0/0</text>' p.svg || fail "no name of a vcpu"
grep -q '>idle</text>' p.svg || fail "no idle time"
expect 0 "$xenalyze" --scatterplot-runstate --time 0.5..0.51 --plot p.svg intel
grep -q '<title>Domain-0/0: blocked$' p.svg || fail "no state in a tooltip"
grep -qE '^0\.50[0-9]{7} s to 0\.5[0-9]{8} s \([0-9.]+ [mun]?s\)</title>' p.svg ||
    fail "no times in a tooltip"

# Many vcpus of few domains: the legend has domains.
play many --cpus 8 --domains 6 --vcpus 8
expect 0 "$xenalyze" --plot p.svg many
grep -qE '>(pv|pvh|hvm)[0-9]</text>' p.svg || fail "the legend has no domains"
grep -q '/0</text>' p.svg && fail "the legend has vcpus"

# From 64 pcpus and vcpus on.
play large --cpus 64 --kind hvm -T 0.05
draws large
grep -q '>busy, % of time</text>' p.svg || fail "64 pcpus are no heat map"
play fewer --cpus 63 --kind hvm -T 0.05
draws fewer
grep -q '>busy, % of time</text>' p.svg && fail "63 pcpus are a heat map"
draws large --scatterplot-runstate
grep -q '>hvm[0-9]*</text>' p.svg || fail "rows are not grouped by domain"
grep -q '^set ytics.*"hvm[0-9]*"' p.gp || fail "gnuplot: no groups by domain"
draws large --scatterplot-vmexit-eip
grep -q '>points per square</text>' p.svg || fail "exits have no density"

# Axes in units of time; titles that say which port, vector and domain.
for what in "io=0x3f8=/O port 0x3f8," \
    "extint-cycles=250=vector 250 (0xfa, local-timer)," \
    "wake-to-halt==next halt,"; do
    kind=${what%%=*} title=${what##*=} which=${what#*=}
    which=${which%=*}
    expect 0 "$xenalyze" --domain 1-200 --plot p.svg \
        --scatterplot-"$kind${which:+=$which}" many
    grep -qF "$title domain 1-200</text>" p.svg || fail "$kind: no title"
    grep -qE '>[0-9.]+ [mun]s</text>' p.svg || fail "$kind: no unit of time"
    grep -q '>cycles<' p.svg && fail "$kind: cycles"
done
expect 0 "$xenalyze" --scatterplot-runstate-time --plot p.svg intel
grep -q '>running</text>' p.svg || fail "durations are not coloured by runstate"
expect 0 "$xenalyze" --scatterplot-irq --plot p.svg intel
grep -qE '>irq [0-9]+ (eth|nvme)[0-9]+</text>' p.svg || fail "no irq"

has_cairo || skip "PNG and PDF: this build has no cairo"
# cairo is loaded when it is to draw, and may be absent then.
mkdir broken
: >broken/libcairo.so.2
export LD_LIBRARY_PATH="$tmp/broken"
expect 1 "$xenalyze" plot -o no.png "$odd"
expect_message 'cannot write no.png: PNG and PDF need cairo ('
expect 0 "$xenalyze" plot -o odd.svg "$odd"
unset LD_LIBRARY_PATH
[ ! -e no.png ] || fail 'a picture without cairo'

# cairo_draws TRACE OPTION...: the same bytes for any number of threads
cairo_draws() {
    trace=$1
    shift
    for end in png pdf; do
        expect 0 "$xenalyze" "$@" --threads 1 --plot p.$end "$trace"
        expect 0 "$xenalyze" "$@" --threads 4 --plot q.$end "$trace"
        cmp -s p.$end q.$end || fail "$*: another $end with 4 threads"
    done
}
cairo_draws "$odd"
cairo_draws many --scatterplot-runstate-time
cairo_draws many --scatterplot-vmexit-eip
cairo_draws large --theme dark
# Without fonts, the library has letters of its own.
mkdir empty
echo '<fontconfig><dir>empty</dir></fontconfig>' >fonts
expect 0 env FONTCONFIG_FILE="$PWD/fonts" "$xenalyze" --plot p.pdf intel

command -v pdftotext >/dev/null && command -v pdftoppm >/dev/null ||
    skip "texts of a PDF file: there is no pdftotext or pdftoppm"
for fonts in '' "$PWD/fonts"; do
    expect 0 env ${fonts:+FONTCONFIG_FILE="$fonts"} "$xenalyze" \
        --plot p.pdf "$odd"
    expect 0 pdftotext p.pdf -
    for text in 'a?b?c: vcpus on each pcpu' 'pcpu 2' 'Domain-0/0' idle \
        'since the trace began'; do
        grep -qF "$text" out || fail "PDF: no text $text"
    done
    [ ! -s err ] || fail "PDF: $(cat err)"
done
expect 0 pdftoppm -r 144 p.pdf page
case $(head -c 8 page-1.ppm | tr '\n' ' ') in
'P6 1720 ') ;;
*) fail "PDF: not as wide as PNG" ;;
esac
exit 0
