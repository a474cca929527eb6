#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Back end dtrace: each event that is on has a probe in the program's file,
# with the right arguments and a semaphore of its own that is initially 0; a
# disabled event has none.  No probe runs while its semaphore is 0; gdb, if
# installed, raises one.
set -u
# shellcheck source=tests/usertrace/lib.sh
. "$top_srcdir/tests/usertrace/lib.sh"

echo '#include <sys/sdt.h>' | $cc -E - >/dev/null 2>&1 ||
    skip 'systemtap-sdt-dev is not installed'
command -v readelf >/dev/null || skip 'readelf is not installed'

make_sample dtrace,log || exit 1
readelf -n sample >notes
awk '/Provider:/ { provider = $2 } /Name:/ { name = $2 }
     /Semaphore:/ { semaphore = $NF }
     /Arguments:/ {
         text = ""
         for ( i = 2; i <= NF; i++ ) {
             sub(/@.*/, "", $i)
             text = text " " $i
         }
         print provider, name text
         if ( semaphore ~ /^0x0*$/ )
             print name ": no semaphore"
         if ( seen[semaphore] && seen[semaphore] != name )
             print name ": shares a semaphore"
         seen[semaphore] = name
     }' notes | sort -u >got
cat >wanted <<'END'
qemu sample_begin 8 -4
qemu sample_done 4 8 -4
qemu sample_idle
qemu sample_request 4 8 8 1
qemu sample_signal -4
qemu sample_text 8
qemu sample_vcpu 8 4
END
diff wanted got || fail 'the probes differ from the declarations'

./sample -n 2 2>err && [ ! -s err ] || fail "the sample fails: $(cat err)"

# tapsets, and the input of dtrace(1)
generate d sample.d
if command -v dtrace >/dev/null; then
    dtrace -h -s sample.d -o d.h || fail 'dtrace(1) does not read format d'
    grep -q 'define QEMU_SAMPLE_REQUEST(' d.h || fail 'dtrace(1) generates no macro'
fi
generate stap sample.stp --binary="$scratch/sample" --probe-prefix=sample
[ "$(grep -c '^probe sample\.' sample.stp)" = 7 ] || fail 'the tapset differs'
# stap needs headers of the running kernel to read any script.
if stap -p 1 -e 'probe begin {}' >/dev/null 2>&1; then
    stap -p 1 -I . -e 'probe sample.sample_text {}' >/dev/null ||
        fail 'SystemTap does not read the tapset'
else
    echo 'stap is not here, or reads no script: it was not asked'
fi
exit $failed
