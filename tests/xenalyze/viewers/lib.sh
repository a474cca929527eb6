# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# For tests of files for viewers: traces, and a name that would break a format.
. "$top_srcdir/tests/xenalyze/reports/lib.sh"

command -v python3 >/dev/null || skip "there is no python3 to read the files"

viewers=$top_srcdir/tests/xenalyze/viewers
export PYTHONDONTWRITEBYTECODE=1

play mix -T 0.4 --cpus 3 --kind mix
expect 0 "$xensim" --virtual --boot tbuf_size=1 -T 1 --seed 3 --cpus 3 \
    --kind mix --drain 20ms --output lossy

# A script tag, quotes, separators, a terminal escape, bidi, invalid UTF-8.
hostile=$(printf 'a"\\;<script>b\033[31m\342\200\256\377\303 1')
cp mix "./$hostile"

# small_traces: names of traces that a reader in Python reads in time
small_traces() {
    printf '%s\n' mix lossy
    for t in c2b-all credit-2pv-all lost-S1-s300 svm-pvh-sched; do
        [ -f "$real/$t/trace.bin" ] && echo "$real/$t/trace.bin"
    done
}

# compose_names: a trace `names` with tags as names of domains
compose_names() {
    python3 - >names.lines <<'END'
import struct
for dom, name in (1, b"</script><!--"), (2, b'<img/src=x/onload="'):
    print("0 - 0x1f08b %d 0 0 0 0" % (dom | 1 << 16))
    print("0 - 0x1f08c %d" % (dom | 1 << 24),
          *struct.unpack("<6I", name.ljust(24, b"\0")))
for i in range(40):
    at = 1000000 * (i + 1)
    print(0, at, "0x21101", 0x10000 if i % 2 else 0x20001)
    print(0, at + 100, "0x81002 44 0x1000")
    print(0, at + 5000 * (i + 1), "0x81001")
END
    compose names <names.lines
}
