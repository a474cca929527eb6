#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Snapshots: by a trigger, by Xen as a flight recorder; and what is said while
# a capture goes on, to a person, to a service manager, to another reader.
. "$top_srcdir/tests/tools/capture-lib.sh"

# whole FILE: a trace without damage, with some events.
whole() {
    expect 0 "$xenalyze" --info "$1"
    grep -qx 'damage: none' out || fail "$1: damage"
    grep -qE '^  records: [0-9]+: [1-9]' out || fail "$1: empty"
}

# --- triggers ----------------------------------------------------------------

expect 0 "$xensim" --cpus 2 -- "$xentrace" --snapshot-on 'hvm_cpuid' \
    --snapshots 2 -T 60 trace
grep -q 'hvm_cpuid was traced' err || fail "the reason is not told"
whole trace.1
whole trace.2
[ ! -e trace.3 ] || fail "--snapshots 2 took a third one"
expect 0 "$xenalyze" --dump-all trace
grep -q 'meta_end.*trigger' out || fail "the file does not say why it ends"
grep -q 'meta_start.*memory_buffer' out || fail "it does not say that it is -M"

# Too many domains for the pcpus: somebody waits.
expect 0 "$xensim" --cpus 1 --domains 6 --load busy -- "$xentrace" -e sched \
    --snapshot-on 'runnable>1ms' --snapshots 1 --snapshot-after 50ms \
    --snapshot-before 1s -T 60 waits
grep -qE 'd[0-9]+v[0-9]+ was runnable for [0-9.]+ m?s' err ||
    fail "who waited is not told"
grep -q 'd32767' err && fail "the idle domain waited"
whole waits.1

# So far back, and no further; a window that began earlier may be among them.
for trigger in 'exit>1us' 'hvm_cpuid:leaf>0' 'hvm_cpuid:leaf=3'; do
    rm -f once*
    expect 0 "$xensim" --cpus 2 --rate 100k -- "$xentrace" -s 10 \
        --snapshot-on "$trigger" --snapshots 1 --snapshot-before 1us -T 60 once
    grep -qE 'hvm_cpuid was traced|a VM exit on pcpu' err ||
        fail "$trigger: the reason is not told"
    whole once.1
    grep -qE "hvm_(cpuid|vmentry)" out || fail "$trigger: it is not in it"
done

expect 0 "$xensim" --cpus 2 -- "$xentrace" -M 1M \
    --snapshot-on 'exit>1h' --snapshot-on 'lost>1000000000' \
    --snapshot-on 'hvm_cpuid:leaf=0xdeadbeef' -T 0.5 quiet
[ ! -e quiet.1 ] || fail "a snapshot of nothing"
expect 0 "$xensim" --cpus 2 --rate 0 -- "$xentrace" -S 1 -s 1000 -M 1M \
    --snapshot-on 'lost>10' --snapshots 1 -T 60 lost
grep -q 'records were lost' err || fail "the loss is not told"
whole lost.1

# --- flight recorder ---------------------------------------------------------

expect 0 "$xensim" --cpus 2 --rate 100k -- sh -c '
    "$1" --flight-recorder -S 4 flight &
    while [ ! -s flight ]; do sleep 0.02; done; sleep 0.5
    kill -USR1 $!; while [ ! -s flight.1 ]; do sleep 0.02; done; sleep 0.5
    kill $!; wait $!' sh "$xentrace"
grep -q 'snapshot 1 is written' err || fail "no snapshot of the recorder"
whole flight.1
whole flight
[ "$(wc -c <flight)" -lt 50000 ] || fail "more than 8 pages hold"
expect 0 "$xenalyze" --dump-all flight
grep -q 'meta_start.*overwrite' out || fail "it does not say how it was made"
# The newest each time.
first=$("$xenalyze" --info flight.1 | sed -nE 's/^  time: .* ([0-9]+) \.\. [0-9]+$/\1/p')
last=$("$xenalyze" --info flight | sed -nE 's/^  time: .* ([0-9]+) \.\. [0-9]+$/\1/p')
[ "$last" -gt "$first" ] || fail "the second one is not newer"

# --- what is said ------------------------------------------------------------

expect 0 "$xensim" --cpus 2 -- "$xentrace" --stats -T 2.3 trace
[ "$(grep -cE '^0:0[1-9]  .*events/s  .* lost$' err)" -ge 1 ] ||
    fail "no line of --stats"
expect 0 "$xensim" --cpus 2 -- sh -c 'rm -f trace; "$1" trace &
    while [ ! -s trace ]; do sleep 0.02; done
    sleep 0.2; kill -USR1 $!; sleep 0.2; kill $!; wait $!' sh "$xentrace"
grep -qE '^xentrace: 0:0.* [1-9][0-9.]* [kM]?events/s' err ||
    fail "SIGUSR1 is not answered"

# A service manager is told when it traces, once a second how it goes, and the
# end.
if command -v python3 >/dev/null; then
    cat >listen <<'END'
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind("notify")
open("listens", "w").close()
while True:
    text = s.recv(1000).decode()
    print(text, flush=True)
    if "STOPPING=1" in text:
        break
END
    python3 listen >heard &
    while [ ! -e listens ]; do sleep 0.02; done
    expect 0 "$xensim" --cpus 2 -- \
        env NOTIFY_SOCKET="$tmp/notify" "$xentrace" -T 1.3 trace
    wait $!
    for word in 'READY=1' 'WATCHDOG=1' 'STATUS=[1-9][0-9]* events' 'STOPPING=1'
    do
        grep -q "^$word" heard || fail "the manager did not hear: $word"
    done
fi

# Two at once notice each other.
expect 0 "$xensim" --cpus 2 -- sh -c '"$1" one &
    while [ ! -s one ]; do sleep 0.02; done
    "$1" -T 1 two; kill $!; wait' sh "$xentrace"
grep -q 'read the rings: xentrace (' err || fail "the first one is unnoticed"

# In the background: the caller goes on once it traces.
expect 0 "$xensim" --cpus 2 -- sh -c '
    "$1" --daemon -T 0.5 trace && test -s trace || exit 9
    "$1" --daemon -T 0.5 no/such/folder/trace && exit 8
    sleep 1.5' sh "$xentrace"
grep -q 'no/such/folder' err || fail "why it did not begin is not told"
whole trace

# --help lists the types of triggers, and xentrace(8) describes each of them.
expect 0 "$xentrace" --help
sed -n '/^Triggers of/,$s/^  \([^ ]*\)  .*/\1/p' out >types
[ "$(wc -l <types)" -ge 4 ] || fail "--help lists no triggers"
sed -n '/snapshot\\-on/,/^\.RE/p' "$top_srcdir/man/xentrace.8" |
    sed -n '/^\.TP/{n;s/^\.[BIR]* //;s/[ "]//g;p;}' | sort >described
sort types | diff - described ||
    fail "--help and xentrace(8) have different triggers"

while IFS='|' read -r words reason; do
    # shellcheck disable=SC2086 # the words are several
    expect 1 "$xentrace" $words
    complains "$reason"
done <<'END'
--snapshot-on lost>x trace|lost>x
--snapshot-on nothing trace|nothing
--snapshot-on hvm_cpuid:nothing=1 trace|no field
--snapshot-on hvm_cpuid:leaf trace|FIELD
--snapshot-on hvm_cpuid|file
--snapshots 3 trace|-M
--flight-recorder --snapshot-on lost>1 trace|--flight-recorder
--daemon|file
END
