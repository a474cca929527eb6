#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# xentrace_setsize: its output, and its effect on the rings.  Tracing is never
# enabled or disabled.
. "$top_srcdir/tests/tools/lib.sh"

[ -x "$xensim" ] || skip "there is no xensim"
setsize=$top_builddir/tools/xentrace/xentrace_setsize
export setsize xentrace
cd "$tmp" || exit 99

# on NAME SCRIPT: run on a hypervisor of its own; output in out, state in err
on() {
    name=$1
    shift
    expect 0 "$xensim" --cpus 2 -- sh -c "$@"
}

# says TEXT: the output has exactly these lines
says() {
    printf '%s\n' "$@" >want
    cmp -s want out || {
        diff want out >&2
        fail "$name: the output differs"
    }
}

off='Tracing is off, events 0xffff000'
on "no rings" '"$setsize"'
says 'Current tbuf size: 0x0' "$off"
on "rings of a size" '"$setsize" 8'
says 'Current tbuf size: 0x0' "$off" 'set_size succeeded.' \
    'New tbuf size: 0x8' "$off"
on "other ones" '"$setsize" 8 >first && "$setsize" 0x10'
says 'Current tbuf size: 0x8' "$off" 'set_size succeeded.' \
    'New tbuf size: 0x10' "$off"
on "none again" '"$setsize" 8 >first && "$setsize" --free'
says 'Current tbuf size: 0x8' "$off" 'New tbuf size: 0x0' "$off"
on "tracing goes on" '"$xentrace" -x -S 4 -e sched -T 0.1 trace 2>messages
    "$setsize" 6'
on_now='Tracing is on, events 0x2f000'
says 'Current tbuf size: 0x4' "$on_now" 'set_size succeeded.' \
    'New tbuf size: 0x6' "$on_now"
on "in use" 'rm -f trace; "$xentrace" -S 4 trace 2>messages &
    while [ ! -s trace ]; do sleep 0.02; done
    "$setsize" 6; echo $?; kill $!; wait'
grep -qx 1 out || fail "rings in use were replaced"
grep -q 'the rings are in use' err || fail "the message has no reason"

while IFS='|' read -r words reason; do
    # shellcheck disable=SC2086 # several words
    expect 2 "$setsize" $words
    expect_message "$reason"
done <<'END'
0|0
65536|65536
eight|eight
8 9|9
--free 8|--free
END
expect 1 "$setsize" --socket=nowhere
expect_message nowhere
