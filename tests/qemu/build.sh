#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Build Debian's QEMU twice: with QEMU's own tracetool, and with ours by the
# commands of doc/qemu.md.  The programs have the same events with the same ids,
# and the same runs give the same events and texts, in the log and in the trace
# file.  Only with CHECK_FULL, since it takes 10 minutes and 2 GB.
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
export CC="$cc" CFLAGS=-O1

# --- both builds ---------------------------------------------------------------

programs='qemu-img qemu-io qemu-nbd qemu-system-x86_64'
(
    mkdir source/theirs && cd source/theirs &&
        ../configure --enable-trace-backends=log,simple \
            --target-list=x86_64-softmmu --without-default-features \
            --enable-system --enable-tools --enable-tcg &&
        # shellcheck disable=SC2086 # words
        ninja $programs trace/trace-events-all
) >theirs.log 2>&1 || {
    tail -n 20 theirs.log
    skip 'QEMU does not build with its own tracetool'
}

PATH=${tracetool%/*}:${simpletrace%/*}:$PATH
tmp=$scratch
# shellcheck source=tests/house/pages.sh
. "$top_srcdir/tests/house/pages.sh"
page_owner=tests/qemu/build.sh
cd source || exit 99
page_run "$top_srcdir/doc/qemu.md"
cd "$scratch" || exit 99
[ $failed = 0 ] || exit 1
theirs=$scratch/source/theirs
ours=$scratch/source/build
grep -q 'TRACETOOL_LOG' "$ours/trace/trace-block.h" ||
    fail 'not built with our tracetool'

# --- events and ids --------------------------------------------------------------

for program in $programs; do
    "$theirs/$program" --trace help >theirs.names 2>&1 </dev/null ||
        fail "$program: no --trace help"
    "$ours/$program" --trace help >ours.names 2>&1 </dev/null ||
        fail "$program with our code: no --trace help"
    [ "$(wc -l <ours.names)" -gt 400 ] || fail "$program has few events"
    cmp -s theirs.names ours.names || fail "$program: other events, or order"
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

# same_texts FILE LINES: the same lines, but addresses and large numbers; at
# least LINES
same_texts()
{
    for build in theirs ours; do
        sed -E 's/0x[0-9a-f]{6,}/ADDRESS/g; s/fd [0-9]+/fd N/g
            s/[0-9]{6,}/NUMBER/g; s/^[0-9]+@[0-9.A-Z]+:/TIME:/' \
            $build.run/"$1" | sort >$build.lines
    done
    [ "$(wc -l <ours.lines)" -ge "$2" ] || fail "$1: few events"
    cmp -s theirs.lines ours.lines && return
    diff theirs.lines ours.lines | head -n 20
    fail "$1 differs"
}

for build in theirs ours; do
    mkdir $build.run && cd $build.run || exit 99
    if [ $build = ours ]; then
        run_programs "$ours"
    else
        run_programs "$theirs"
    fi
    # The declarations are QEMU's; both readers read the files of both builds.
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
grep -q '^[0-9]*@[0-9.]*:runstate_set' ours.run/late.log ||
    fail 'no time in late.log'
same_texts late.log 2
exit $failed
