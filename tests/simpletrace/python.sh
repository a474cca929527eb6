#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Scripts in Python: each prints the same with our module as with that of QEMU
# 7.2, for traces of a real QEMU.  Analyzer2, which 7.2 does not have, is
# compared with Analyzer.
set -u
: "${top_srcdir:?run this by make check}" "${top_builddir:?}"
here=$top_srcdir/tests/simpletrace
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
failed=0

fail()
{
    echo "$*"
    failed=1
}

skip()
{
    echo "$*"
    exit 77
}

# shellcheck source=tests/simpletrace/module.sh
. "$top_srcdir/tests/simpletrace/module.sh"
cd "$scratch" || exit 99
copy_module ours ours.simpletrace

cat >Events <<'END'
first(int a, const char *s) "%d %s"
second(void *p, bool b) "%p %d"
none(void) ""
END
cat >make.py <<'END'
import struct, sys
def event(id, time, args, pid=7):
    return struct.pack('=QQQII', 1, id, time, 24 + len(args), pid) + args
def mapping(id, name):
    return struct.pack('=QQI', 0, id, len(name)) + name
text = lambda s: struct.pack('=I', len(s)) + s
number = lambda n: struct.pack('=Q', n)
body = (mapping(0, b'first') + mapping(1, b'second') + mapping(2, b'none') +
        event(0, 10, number(2**64 - 5) + text(b"it's \xff")) +
        event(2**64 - 2, 20, number(3)) + event(2, 30, b'') +
        event(1, 40, number(0x1234) + number(1), 8) +
        event(0, 5, number(1) + text(b'')))
head = struct.pack('=QQQ', 2**64 - 1, 0xf2b177cb0aa429b4, 4)
open('made', 'wb').write(head + body)
open('headless', 'wb').write(body)
open('cut', 'wb').write(head + body[:-3])
open('unknown', 'wb').write(head + mapping(9, b'other') + event(9, 1, b''))
END
python3 make.py || exit 99

# --- the same scripts with both modules --------------------------------------
cat >all.py <<'END'
import simpletrace
class All(simpletrace.Analyzer):
    def begin(self): print('begin')
    def catchall(self, event, rec):
        print(event.name, [tuple(arg) for arg in event.args], rec)
    def end(self): print('end')
simpletrace.run(All())
END
cat >methods.py <<'END'
import simpletrace
class Methods(simpletrace.Analyzer):
    def first(self, a, s): print('first', a, s)
    def second(self, timestamp, pid, p, b):
        print('second', timestamp, pid, p, b)
    def none(self, timestamp): print('none', timestamp)
    def Dropped_Event(self, nr): print('dropped', nr)
    def bdrv_open_common(self, bs, filename, flags, name):
        print(bs, filename, flags, name)
    def blk_root_attach(self, timestamp, child, blk, bs):
        print(timestamp, child, blk, bs)
    def bdrv_co_preadv_part(self, timestamp, pid, bs, offset, bytes, flags):
        print(timestamp, pid, bs, offset, bytes, flags)
simpletrace.run(Methods())
END
cat >process.py <<'END'
import io, sys, simpletrace
class All(simpletrace.Analyzer):
    def catchall(self, event, rec): print(event.name, rec)
events, log = sys.argv[1:]
simpletrace.process(events, log, All())
simpletrace.process(events, open(log, 'rb'), All())
simpletrace.process(events, io.BytesIO(open(log, 'rb').read()), All())
with open(log, 'rb') as part:
    part.read(24)
    simpletrace.process(events, part, All(), read_header=False)
END

# same SCRIPT ARGUMENT...
same()
{
    PYTHONPATH=$scratch/ours python3 "$@" >got 2>err ||
        fail "$* fails: $(tail -n 3 err)"
    [ -z "$qemu" ] || {
        PYTHONPATH=$scratch/theirs:$qemu/scripts python3 "$@" >wanted 2>err ||
            fail "$* fails with QEMU's module: $(tail -n 3 err)"
        cmp -s wanted got || {
            fail "$* differs, - QEMU + ours"
            diff -u wanted got | sed -n '3,12p'
        }
    }
}

# 7.2 needs a function that later versions of Python lack.
mkdir theirs
cat >theirs/sitecustomize.py <<'END'
import inspect
if not hasattr(inspect, 'getargspec'):
    inspect.getargspec = inspect.getfullargspec
END
qemu=$("$top_srcdir/tests/qemu/fetch-source") || qemu=
events=$("$top_srcdir/tests/qemu/fetch") || events=
same all.py Events made
[ "$(wc -l <got)" = 7 ] || fail "not seven lines: $(cat got)"
same all.py --no-header Events headless
same methods.py Events made
grep -qx 'second 40 8 4660 1' got || fail "a method got: $(cat got)"
grep -qx 'dropped 3' got || fail 'losses have no method'
same process.py Events made
[ "$(wc -l <got)" = 20 ] || fail 'files or positions are wrong'
compared=
if [ -n "$events" ] && [ -n "$qemu" ]; then
    for gz in "$here"/data/*.bin.gz; do
        gzip -dc "$gz" >real || exit 99
        same all.py "$events" real
        same methods.py "$events" real
    done
    compared=yes
fi

# --- errors, and Analyzer2 ----------------------------------------------------
PYTHONPATH=$scratch/ours
export PYTHONPATH
cat >two.py <<'END'
import simpletrace
class Old(simpletrace.Analyzer):
    def catchall(self, event, rec): print(event.name, *rec)
class New(simpletrace.Analyzer2):
    def catchall(self, *args, event, event_id, timestamp_ns, pid):
        print(event.name, event_id, timestamp_ns, pid, *args)
    def first(self, a, s, *, timestamp_ns, event, **kwargs):
        assert sorted(kwargs) == ['event_id', 'pid'], kwargs
        print('first', event.name, timestamp_ns, kwargs['pid'], a, s)
simpletrace.process('Events', 'made', Old())
print('--')
simpletrace.process('Events', 'made', New())
END
python3 two.py >out || fail 'Analyzer2 fails'
sed '/^--$/,$d' out >old
sed '1,/^--$/d' out | cmp - old || fail "Analyzer2 differs: $(cat out)"

cat >errors.py <<'END'
import simpletrace, warnings
class All(simpletrace.Analyzer):
    nr = 0
    def catchall(self, event, rec): self.nr += 1
    def end(self): print('end', self.nr)
class Bad(simpletrace.Analyzer):
    def first(self, a, s): raise KeyError('mine')
    def end(self): print('not reached')
def refuse(events, log, text, kind=simpletrace.SimpleException, analyzer=All):
    try:
        simpletrace.process(events, log, analyzer())
    except kind as error:
        assert text in str(error), error
    else:
        print('not refused', events, log)
refuse('Events', 'unknown', "'other' event is logged but is not declared")
refuse('Events', 'Events', 'not a trace')
refuse('made', 'made', 'made is not a file of events')
refuse('Events', 'made', 'mine', KeyError, Bad)
refuse('Events', 'nowhere', 'nowhere', OSError)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter('always')
    simpletrace.process('Events', 'cut', All())
assert 'damaged bytes' in str(caught[0].message), caught
class Plain:
    def begin(self): print('begin')
    def catchall(self, event, rec): pass
    def end(self): print('end')
simpletrace.process('Events', 'made', Plain())
event = simpletrace.Event('first', [('int', 'a'), ('const char *', 's')])
mine = [event, simpletrace.Event('second', [('void *', 'p'), ('bool', 'b')]),
        simpletrace.Event('none', [])]
class Same(simpletrace.Analyzer):
    def catchall(self, known, rec): assert known in mine or rec[0] == 'dropped'
simpletrace.process(mine, 'made', Same())
END
printf 'end 4\nbegin\nend\n' >wanted
python3 errors.py >out 2>err || { tail -n 5 err; fail 'errors.py fails'; }
cmp -s wanted out || fail "errors.py prints: $(cat out)"

python3 ours/simpletrace.py Events made >out || fail 'the formatter fails'
"$top_builddir/tools/simpletrace/simpletrace" -s qemu Events made | cmp - out ||
    fail 'the formatter differs from --style=qemu'
[ $failed -eq 0 ] || exit 1
[ -n "$compared" ] || skip 'the sources of QEMU are not available'
exit 0
