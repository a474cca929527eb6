#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# xentrace --from-dump: the records in the trace buffers of crash dumps made by
# make-dump.py, of dumps that are truncated or damaged, and of other files.
. "$top_srcdir/tests/tools/lib.sh"

command -v python3 >/dev/null || skip "no python3"
cd "$tmp" || exit 99

made()
{
    python3 "$top_srcdir/tests/tools/make-dump.py" "$@" ||
        fail "no dump: $*"
}

made drain core expected xen-syms
"$xentrace" --from-dump core trace 2>err || {
    ! grep -q 'built without libelf' err || skip "no libelf"
}

# The records of a trace in the form of `expected`, a line each.
printf '0x00000000 CPU%%(cpu)d %%(tsc)d %%(event)08x' >rule
printf ' %%(%d)08x' 1 2 3 4 5 6 7 >>rule
echo >>rule
records_of()
{
    "$xenalyze" rule <"$1" | awk '
        sub(/^CPU/, "") && $3 !~ /^0001f0/ {
            while ( sub(/ 00000000$/, "") )
                continue
            print
        }' | sort -s -n -k 1,1
}

# has_expected MODE: the trace has exactly the records of the dump
has_expected()
{
    awk '{ while ( sub(/ 00000000$/, "") ) continue; print }' expected >want
    records_of trace >got
    cmp -s got want || fail "$1: $(diff got want | head -n 3)"
}

# read_dump MODE FILE [ARGUMENT...]: read the dump in FILE
read_dump()
{
    mode=$1
    file=$2
    shift 2
    rm -f trace
    "$xentrace" --from-dump "$file" "$@" trace >out 2>err ||
        fail "$mode, $file: exit code $?: $(cat err)"
    has_expected "$mode, $file"
}

compressed=core.kdump
made drain core.kdump expected
"$xentrace" --from-dump core.kdump trace 2>err || {
    ! grep -q 'built without libkdumpfile' err || compressed=
}

# reads MODE [ARGUMENT...]: make the dump in each format, and read it
reads()
{
    mode=$1
    shift
    for format in core $compressed; do
        made "$mode" "$format" expected xen-syms
        read_dump "$mode" "$format" "$@"
    done
}

reads drain
grep -q ': [1-9][0-9]* records that dom0 had not read, of 3 pcpus; [1-9]' err ||
    fail "drain: $(cat err)"
"$xenalyze" --info trace >info
grep -q '^  lost: *5 records$' info && grep -q 'crash dump core' info ||
    fail "drain: no losses or no comment in --info"
"$xenalyze" --records trace | grep -q 'meta_tsc.*2000000000' ||
    fail "drain: no frequency"
reads overwrite
grep -q ' 0 older ones' err || fail "overwrite: $(cat err)"
reads stock --symbols xen-syms
reads empty
grep -q 'the trace buffers are empty' err || fail "empty: $(cat err)"
reads drain --symbols xen-syms --plain

# The commands of the page.
(
    . "$top_srcdir/tests/house/pages.sh"
    page_owner=tests/tools/dump.sh
    mkdir programs page
    ln -s "$xentrace" "$xenalyze" programs/
    PATH=$PWD/programs:$PATH
    cd page || exit 99
    made drain vmcore expected
    page_run "$top_srcdir/doc/flight-recorder.md"
) || fail "the page's commands"

# fails_with TEXT ARGUMENT...: exit code 1 or 2, one line, and no file
fails_with()
{
    text=$1
    shift
    rm -f trace
    ! "$xentrace" "$@" trace >out 2>err || fail "$*: exit code 0"
    [ "$(wc -l <err)" = 1 ] && grep -q -e "$text" err ||
        fail "$*: not '$text': $(cat err)"
    [ ! -e trace ] || fail "$*: writes a file"
}

made none core expected
fails_with 'no trace buffers when the dump' --from-dump core
made stock core expected xen-syms
fails_with 'give the symbols of its Xen, --symbols' --from-dump core
made drain other expected xen-syms.other
printf '\377' | dd of=xen-syms bs=1 seek=80 conv=notrunc 2>dd.log
fails_with 'no Xen with the build id of xen-syms' --from-dump core \
    --symbols xen-syms
fails_with 'has no symbols of Xen' --from-dump core --symbols "$xentrace"
fails_with 'not an ELF file' --from-dump core --symbols rule
fails_with 'not a crash dump, neither' --from-dump rule
printf 'makedumpfile\0\0\0\0' >flat
fails_with 'convert it: makedumpfile -R DUMP <flat' --from-dump flat
: >nothing-in-it
fails_with 'not a crash dump, neither' --from-dump nothing-in-it
fails_with 'an ELF file, and not a crash dump' --from-dump xen-syms.other
fails_with 'cannot read nothing' --from-dump nothing
fails_with '--symbols needs --from-dump' --symbols xen-syms
fails_with 'without options of a capture' --from-dump core -T 5

# The output must not replace an input.
made drain core expected
cp core before
ln -s core trace
! "$xentrace" --from-dump core trace 2>err || fail "replaces the dump"
grep -q 'trace is an input: give FILE another name' err || fail "$(cat err)"
cmp -s core before || fail "the dump was replaced"
rm trace

# A truncated dump has fewer records or none; the file has what could be read.
# cut_dump FILE: read its beginnings of nine lengths
cut_dump()
{
    size=$(wc -c <"$1")
    for part in 1 2 3 4 5 6 7 8 9; do
        head -c $((size * part / 10)) "$1" >cut
        rm -f trace
        "$xentrace" --from-dump cut trace >out 2>err
        case $? in
        0|1) ;;
        *) fail "$1 cut at $part/10: exit code $?" ;;
        esac
        [ "$1" != core ] || grep -q "cut is cut off: .* of it are missing" err ||
            fail "$1 cut at $part/10: $(cat err)"
        [ ! -e trace ] || records_of trace | sort >got
        [ ! -e trace ] || { sort expected | awk '{
            while ( sub(/ 00000000$/, "") ) continue; print }' | sort >want
            [ -z "$(comm -23 got want)" ] ||
                fail "$1 cut at $part/10: other records"; }
    done
}

for format in core $compressed; do
    made drain "$format" expected
    cut_dump "$format"
done

# A bitmap of 64 GiB in the header, of which the file has nothing.
if [ -n "$compressed" ]; then
    cp "$compressed" long
    printf '\1' | dd of=long bs=1 seek=439 conv=notrunc 2>/dev/null
    expect 1 "$xentrace" --from-dump long out
    expect_message "long is damaged, or was cut off: its bitmap of pages goes"
fi

# Flipped bits: an exit code, and no other file than a readable trace.
rounds=120
[ -z "${CHECK_FULL-}" ] || rounds=3000
python3 - "$xentrace" $rounds core $compressed <<'END' || fail "damaged dumps"
import random, subprocess, sys
xentrace, rounds = sys.argv[1], int(sys.argv[2])
for name in sys.argv[3:]:
    dump = open(name, 'rb').read()
    random.seed(1)
    codes = set()
    for i in range(rounds):
        copy = bytearray(dump)
        for _ in range(random.choice([1, 1, 4, 64])):
            # headers, tables and objects, or anywhere
            at = random.randrange(random.choice([1024, len(dump)]))
            copy[at] ^= 1 << random.randrange(8)
        open('bad', 'wb').write(copy)
        r = subprocess.run([xentrace, '--from-dump', 'bad', 'out'],
                           capture_output=True, timeout=60)
        codes.add(r.returncode)
        # AddressSanitizer reports what the child process is for.
        if r.returncode == 1 and b'libkdumpfile.so' in r.stderr:
            continue
        # The older file, four rings, the records, the error.
        if r.returncode not in (0, 1) or r.stderr.count(b'\n') > 7:
            sys.exit('%s, round %d: exit code %d: %s' %
                     (name, i, r.returncode, r.stderr))
    if codes != {0, 1}:
        sys.exit('%s: only exit codes %s' % (name, codes))
END
[ -n "$compressed" ] || echo "compressed dumps not tested: no libkdumpfile"
