#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Build Debian's QEMU three times: with QEMU's own tracetool; with ours by the
# commands of doc/qemu.md, in `ours`; and with libusertrace by the commands of
# that page, in `library`.  The programs have the same events with the same ids,
# and the same runs give the same events and texts, in the log and in the trace
# file.  libusertrace loses no event of 64 requests at a time.  Only with
# CHECK_FULL, since the test takes up to 17 minutes (9 with a filled ccache) on
# two busy CPUs, and 3 GB.
set -u
[ -n "${CHECK_FULL-}" ] || {
    echo 'QEMU is built by ./check --full only'
    exit 77
}
# shellcheck source=tests/usertrace/lib.sh
. "$top_srcdir/tests/usertrace/lib.sh"
for tool in python3 dpkg-source meson ninja pkg-config; do
    command -v $tool >/dev/null || skip "$tool is not installed"
done
pkg-config glib-2.0 pixman-1 || skip 'libraries that QEMU needs are missing'
files=$("$top_srcdir/tests/qemu/fetch-source" package) || skip "$files"

unset MAKEFLAGS MAKELEVEL MFLAGS
dpkg-source --no-check -x "$files"/qemu_*.dsc source >unpack.log 2>&1 ||
    skip "the package does not unpack: $(tail -n 1 unpack.log)"
cp -a source library-source || exit 99

# tracetool, simpletrace and libusertrace, as installed
place=$scratch/place
make -s -C "$top_builddir" DESTDIR="$place" install-libraries \
    install-pkgconfigDATA install-uttraceHEADERS install-xtcommonHEADERS \
    install-dist_qemuDATA install-qemuheadersDATA install-binPROGRAMS \
    >install.log 2>&1 </dev/null || { cat install.log; exit 1; }
pc=$(find "$place" -name usertrace.pc)
sed -i "s|=/|=$place/|" "$pc"
export PKG_CONFIG_PATH="${pc%/*}"
bin=$(find "$place" -name simpletrace -path '*/bin/*')
LD_LIBRARY_PATH=${pc%/*/*}

# A build without optimization, debug information and optional devices compares
# as well.  With ccache, an unchanged file is not compiled again.
export CC="$cc" CFLAGS='-O0 -g0'
if command -v ccache >/dev/null; then
    case $(command -v "${cc%% *}") in
    */ccache/*) ;;
    *) CC="ccache $cc" ;;
    esac
    export CCACHE_BASEDIR="$scratch" CCACHE_NOHASHDIR=1
fi
lean='--without-default-features --without-default-devices'
sed "s/--without-default-features/$lean/" "$top_srcdir/doc/qemu.md" >qemu.md
grep -q -e "$lean" qemu.md || fail 'doc/qemu.md: no --without-default-features'

# --- all builds ----------------------------------------------------------------

programs='qemu-img qemu-io qemu-nbd qemu-system-x86_64'
# shellcheck disable=SC2086 # words
(
    mkdir source/theirs && cd source/theirs &&
        ../configure --enable-trace-backends=log,simple \
            --target-list=x86_64-softmmu $lean \
            --enable-system --enable-tools --enable-tcg &&
        ninja $programs trace/trace-events-all
) >theirs.log 2>&1 || {
    tail -n 20 theirs.log
    skip 'QEMU does not build with its own tracetool'
}

PATH=${bin%/*}:$PATH
tmp=$scratch
# shellcheck source=tests/house/pages.sh
. "$top_srcdir/tests/house/pages.sh"
page_owner=tests/qemu/build.sh
cd source || exit 99
page_run "$scratch/qemu.md" "QEMU's runtime"
cd "$scratch/library-source" || exit 99
page_run "$scratch/qemu.md" libusertrace
cd "$scratch" || exit 99
[ $failed = 0 ] || exit 1
theirs=$scratch/source/theirs
ours=$scratch/source/build
library=$scratch/library-source/build
grep -q 'TRACETOOL_LOG' "$ours/trace/trace-block.h" ||
    fail 'not built with our tracetool'
for program in $programs; do
    readelf -d "$library/$program" | grep -q 'NEEDED.*libusertrace' ||
        fail "$program does not use libusertrace"
done

# --- events and ids --------------------------------------------------------------

for program in $programs; do
    "$theirs/$program" --trace help >theirs.names 2>&1 </dev/null ||
        fail "$program: no --trace help"
    [ "$(wc -l <theirs.names)" -gt 400 ] || fail "$program has few events"
    for build in "$ours" "$library"; do
        "$build/$program" --trace help >names 2>&1 </dev/null ||
            fail "$build/$program: no --trace help"
        cmp -s theirs.names names || fail "$build/$program: other events, or order"
    done
done

# --- warnings and errors -----------------------------------------------------------

# messages BUILD: of wrong options
messages()
{
    "$1/qemu-img" --trace nosuch --version 2>&1 | head -n 1
    "$1/qemu-img" --trace nosuch=1 --version 2>&1
    echo "exit $?"
    "$1/qemu-system-x86_64" -machine none --trace nosuch -d help 2>&1 |
        head -n 1
}

messages "$theirs" >theirs.messages
[ "$(grep -c nosuch theirs.messages)" = 3 ] || fail 'no messages'
for build in "$ours" "$library"; do
    messages "$build" | diff theirs.messages - || fail "$build: messages"
done

# --- runs ------------------------------------------------------------------------

# 64 KiB of firmware: port I/O, then a reset by the keyboard controller.
# shellcheck disable=SC1112
{
    printf '\271\004\000\346\200\344\222\342\372\260\125\346\200'
    printf '\260\376\346\144\364\353\375'
    head -c $((0xfff0 - 20)) /dev/zero
    printf '\352\000\000\000\360'
    head -c 11 /dev/zero
} >bios.bin
[ "$(wc -c <bios.bin)" -eq 65536 ] || exit 99

# run_programs BUILD: the same work, traced, in the working directory.  The
# events are those that do not depend on the timing of threads.
run_programs()
{
    block='--trace blk_* --trace qcow2_* --trace nbd_* --trace bdrv_*,file='
    set -f
    # shellcheck disable=SC2086 # words
    "$1/qemu-img" create -q -f qcow2 disk.qcow2 16M &&
        "$1/qemu-io" ${block}io.trace -f qcow2 -c 'write 0 64k' \
            -c 'read 0 64k' -c 'discard 0 64k' -c flush disk.qcow2 \
            >/dev/null 2>io.log || fail "$1: qemu-io"
    # shellcheck disable=SC2086 # words
    "$1/qemu-img" ${block}img.trace convert -m 1 -f qcow2 -O raw disk.qcow2 \
        disk.raw 2>img.log || fail "$1: qemu-img"
    # shellcheck disable=SC2086 # words
    "$1/qemu-nbd" ${block}nbd.trace -f raw -k "$PWD/socket" disk.raw \
        2>nbd.log &
    server=$!
    tries=0
    until "$1/qemu-io" -f raw -c 'read 0 4k' "nbd+unix:///?socket=$PWD/socket" \
        >/dev/null 2>&1; do
        tries=$((tries + 1))
        [ $tries -lt 100 ] || { fail "$1: qemu-nbd"; break; }
        sleep 0.1
    done
    wait $server
    machine='-nodefaults -display none -no-reboot -icount shift=0'
    # shellcheck disable=SC2086 # words
    timeout 300 "$1/qemu-system-x86_64" -machine pc,accel=tcg $machine \
        -bios ../bios.bin -rtc base=2026-01-01,clock=vm -trace 'guest_cpu_*' \
        -trace 'runstate_*' -trace 'apic_*' -trace 'pic_*' \
        -trace 'memory_region_ops_*,file=sys.trace' -D sys.log >sys.out 2>&1 ||
        fail "$1: qemu-system-x86_64: $(tail -n 1 sys.out)"
    # -D, -d and -msg timestamp=on, and a command of the monitor
    # shellcheck disable=SC2086 # words
    printf 'trace-event runstate_set on\ncont\nquit\n' |
        timeout 300 "$1/qemu-system-x86_64" -machine none $machine -S \
            -monitor stdio -d 'trace:vm_state_notify' -D late.log \
            -msg timestamp=on >late.out 2>&1 || fail "$1: $(tail -n 1 late.out)"
    set +f
}

tab=$(printf '\t')

# same_texts FILE LINES: the same lines, but addresses and large numbers; at
# least LINES.  libusertrace switches the events of a vcpu on at once, QEMU at
# the vcpu's next safe point: so QEMU misses the first two events of a vcpu.
same_texts()
{
    for build in theirs ours library; do
        sed -E 's/0x[0-9a-f]{6,}/ADDRESS/g; s/fd [0-9]+/fd N/g
            s/[0-9]{6,}/NUMBER/g; s/^[0-9]+@[0-9.A-Z]+:/TIME:/' \
            $build.run/"$1" | LC_ALL=C sort >$build.lines
    done
    [ "$(wc -l <ours.lines)" -ge "$2" ] || fail "$1: few events"
    for build in ours library; do
        LC_ALL=C comm -3 theirs.lines $build.lines >differ
        [ $build = ours ] || [ "$(grep -c 'guest_cpu' differ)" -gt 2 ] ||
            sed -i "/^${tab}guest_cpu_[er][a-z]* _*cpu=ADDRESS *\$/d" differ
        [ -s differ ] || continue
        head -n 20 differ
        fail "$build: $1 differs"
    done
}

for build in theirs ours library; do
    mkdir $build.run && cd $build.run || exit 99
    case $build in
    theirs) run_programs "$theirs" ;;
    ours) run_programs "$ours" ;;
    library) run_programs "$library" ;;
    esac
    # The declarations are QEMU's; both readers read the files of all builds.
    for file in io img nbd sys; do
        python3 "$scratch/source/scripts/simpletrace.py" \
            "$theirs/trace/trace-events-all" $file.trace >$file.python ||
            fail "simpletrace.py $build/$file.trace"
        simpletrace --style=qemu "$theirs/trace/trace-events-all" \
            $file.trace >$file.qemu || fail "simpletrace $build/$file.trace"
        cmp -s $file.python $file.qemu || fail "$build/$file.trace: texts"
        sed -E 's/ -?[0-9.]+ pid=[0-9]+//' $file.python >$file.text
    done
    cd "$scratch" || exit 99
done
for file in io img nbd; do
    same_texts $file.log 20
    same_texts $file.text 20
done
same_texts sys.log 15
same_texts sys.text 15
for build in ours library; do
    grep -q '^[0-9]*@[0-9.]*:runstate_set' $build.run/late.log ||
        fail "$build: no time in late.log"
done
same_texts late.log 2

# --- 64 requests at a time -----------------------------------------------------------

# bench REQUESTS OPTION: no loss by the threads of a pool, which begin together,
# and by the main thread.  All events fit into the rings, so the test does not
# depend on the speed of the machine.
bench()
{
    "$library/qemu-img" --trace 'bdrv_*' --trace 'blk_*' --trace 'paio_*' \
        --trace "thread_*,file=bench.trace$2" \
        bench -d 64 -c "$1" -f raw bench.raw >/dev/null 2>&1 ||
        fail "qemu-img bench -c $1"
    simpletrace --style=qemu bench.trace >bench.text || fail 'bench.trace'
    for name in thread_pool_submit thread_pool_complete; do
        nr=$(grep -c "^$name " bench.text)
        [ "$nr" -ge "$1" ] || fail "bench -c $1: $nr $name"
    done
    lost=$(grep -c '^Dropped_Event' bench.text)
    [ "$lost" = 0 ] || fail "bench -c $1: $lost losses"
}

"$library/qemu-img" create -q -f raw bench.raw 64M || fail 'qemu-img create'
for round in 1 2 3 4 5; do
    bench 1000 ''
    bench 20000 ,ring=16M
    bench 20000 ,mode=block
done
exit $failed
