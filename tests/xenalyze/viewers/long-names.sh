#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Names of 10,000 characters, with quotes, script tags, terminal escapes and
# bidi characters, are text in every output: of a domain (as long as records
# can have it, 255 parts), of a symbol, and of a program's event.
. "$top_srcdir/tests/xenalyze/viewers/lib.sh"

python3 - <<'END_OF_PYTHON'
import struct
nasty = ('"\'\\;<script>alert(1)</script>\x1b[31m\u202e&%s,').encode()
def long(size):
    return (nasty * (size // len(nasty) + 1))[:size]
with open("lines", "w") as out:
    name = long(255 * 24)
    for part in range(255):
        words = struct.unpack("<6I", name[24 * part:24 * part + 24])
        print("0 - 0x1f08c", hex(1 | part << 16 | 255 << 24), *words, file=out)
    for i in range(40):
        at = 1000000 * (i + 1)
        print(0, at, "0x21101 0x10000", file=out)
        print(0, at + 100, "0x81002 44 0x1000", file=out)
        print(0, at + 5000, "0x81001", file=out)
        print(0, at + 9000, "0x21011 0x10000", file=out)
with open("symbols", "wb") as out:
    out.write(b"0000000000000001 T " + long(10000).replace(b"\n", b"") + b"\n")
with open("programs", "wb") as out:
    word = long(10000).replace(b" ", b"_").replace(b":", b"_")
    out.write(b"1@0.000001:e" + word + b" " + long(10000) + b"\n")
END_OF_PYTHON
compose long <lines

# check_text FILE: no control character, no bidi character, no script
check_text() {
    python3 - "$1" <<'END_OF_PYTHON' || fail "$1: a name is more than text"
import sys
text = open(sys.argv[1], "rb").read()
assert text, "empty"
text = text.decode("utf-8")
bad = [c for c in text if (c < " " and c not in "\n\t") or c == "\x7f" or
       "\x80" <= c < "\xa0" or "\u202a" <= c <= "\u202e"]
assert not bad, bad[:4]
END_OF_PYTHON
}

# export_long FORMAT OPTION...: the trace in this format, as FORMAT.out
export_long() {
    format=$1
    shift
    expect 0 "$xenalyze" export "$format" -o "$format.out" "$@" long
    [ -s "$format.out" ] || fail "$format: empty"
}

for output in --summary --report-latency --report-exits --report-wakeups \
    --why --json --csv --dump-all; do
    expect 0 "$xenalyze" --cpu-hz 1G --symbol-file=symbols $output long
    mv out "text$output"
    check_text "text$output"
done
python3 -m json.tool text--json >/dev/null || fail 'the JSON is invalid'
python3 - <<'END_OF_PYTHON' || fail 'the CSV has other columns'
import csv
rows = list(csv.reader(open("text--csv", newline="")))
heads = {}
for row in rows:
    if row and row[0] == "table":
        width = len(row)
    elif row:
        assert len(row) == width, row[:3]
END_OF_PYTHON

for format in html chrome speedscope collapsed; do
    export_long "$format" --cpu-hz 1G --symbol-file=symbols
    check_text "$format.out"
done
grep -q '<script>alert' html.out && fail 'html: the script of a name'
for format in chrome speedscope; do
    python3 -m json.tool "$format.out" >/dev/null || fail "$format: no JSON"
done
for format in perfetto perfetto-compact fxt; do
    export_long "$format" --cpu-hz 1G --symbol-file=symbols
    [ "$(wc -c <"$format.out")" -lt 100000 ] || fail "$format: names are not cut"
    LC_ALL=C grep -q "$(printf '\033')\[31m" "$format.out" &&
        fail "$format: a terminal escape"
done
if command -v protoc >/dev/null; then
    for format in perfetto perfetto-compact; do
        protoc --decode=Trace -I "$viewers" "$viewers/perfetto.proto" \
            <"$format.out" >decoded || fail "$format: protoc cannot read it"
        expect 0 python3 "$viewers/import-perfetto.py" decoded
    done
fi
expect 0 "$xenalyze" export trace.dat -o trace.dat long
expect 0 "$xenalyze" export ctf -o long.ctf long
check_text long.ctf/metadata
expect 0 "$xenalyze" --cpu-hz 1G plot runstate -o long.svg long
check_text long.svg
python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' long.svg ||
    fail 'the picture is no XML'

# An event of a program; a line that is none is refused in one line.
code=0
"$xenalyze" dump long programs >out 2>err || code=$?
[ $code -le 1 ] || fail "programs: exit status $code"
LC_ALL=C grep -q "$(printf '\033')" out err && fail 'a terminal escape'
[ $code -eq 0 ] || [ "$(wc -l <err)" -eq 1 ] || fail "programs: $(head -c 300 err)"
