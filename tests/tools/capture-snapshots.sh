#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Snapshots by a trigger, and by Xen as a flight recorder; messages during a
# capture, for a person, a service manager, another reader.
. "$top_srcdir/tests/tools/capture-lib.sh"

# whole FILE: the trace has events and no damage
whole() {
    expect 0 "$xenalyze" --info "$1"
    grep -qx 'damage: none' out || fail "$1: damage"
    grep -qE '^  records: [0-9]+: [1-9]' out || fail "$1: empty"
}

# --- triggers ----------------------------------------------------------------

expect 0 "$xensim" --cpus 2 -- "$xentrace" --snapshot-on 'hvm_cpuid' \
    --snapshot-every 0 --snapshots 2 -T 60 trace
grep -qE 'wrote trace.1 \([0-9.]+ .?i?B, ..:..:..\.\.(..:){2}..\): hvm_cpuid was traced' err ||
    fail "the message does not name file, size, time and reason"
whole trace.1
whole trace.2
[ ! -e trace.3 ] || fail "--snapshots 2 took a third snapshot"
expect 0 "$xenalyze" --dump-all trace
grep -q 'meta_end.*trigger' out || fail "the file has no reason for its end"
grep -q 'meta_start.*memory_buffer' out || fail "the file does not mention -M"

# More domains than pcpus, so vcpus wait.
expect 0 "$xensim" --cpus 1 --domains 6 --load busy -- "$xentrace" -e sched \
    --snapshot-on 'runnable>1ms' --snapshots 1 --snapshot-after 50ms \
    --snapshot-before 1s -T 60 waits
grep -qE 'wrote waits.1 .*: [-A-Za-z0-9]+/[0-9]+ (waited|has been waiting for) [0-9.]+ m?s' err ||
    fail "the message does not name the waiting vcpu: $(cat err)"
grep -q 'd32767\|idle' err && fail "the idle domain waited"
whole waits.1

# Vcpus that move to a pcpu without trace seem to wait.
for cpus in 0 0-1 all; do
    expect 0 "$xensim" --cpus 2 -- "$xentrace" -e sched -c "$cpus" -T 0.1 \
        --snapshot-on 'runnable>9s' --snapshot-on 'lost>1000' moved
    warnings=$(grep -c 'some pcpus are not traced, .*use -c all' err)
    [ "$cpus" = 0 ] && wanted=1 || wanted=0
    [ "$warnings" -eq $wanted ] || fail "-c $cpus: $warnings warnings"
done

# The file names its trigger, vcpu, value and moment.
trigger_text() {
    "$xenalyze" --info "$1" | sed -n 's/^  trigger: //p'
}
trigger_text waits.1 | grep -qE '^[-A-Za-z0-9]+/[0-9]+ (waited|has been waiting for) [0-9.]+ m?s \(--snapshot-on runnable>1ms\), 20..-..-.. ..:..:.., tsc [0-9]+$' ||
    fail "waits.1 does not name its trigger: $(trigger_text waits.1)"
[ -z "$(trigger_text waits)" ] || fail "the last file has a trigger"

# A trigger that fires all the time writes one snapshot per cool-down, and the
# worst cases are kept.
expect 0 "$xensim" --cpus 1 --domains 6 --load busy -- "$xentrace" -e sched \
    -s 10 --snapshot-on 'sched_runstate_change' -T 1 cool
[ -e cool.1 ] && [ ! -e cool.2 ] || fail "no cool-down: $(ls cool.*)"
grep -qE '[0-9]+ more triggers fired within 60 s' err ||
    fail "the suppressed firings are not reported"
expect 0 "$xensim" --cpus 1 --domains 6 --load busy -- "$xentrace" -e sched \
    -s 10 --snapshot-every 0 --keep 2 --snapshot-on 'runnable>1ms' -T 1 worst
# shellcheck disable=SC2012 # plain names
[ "$(ls worst.* | wc -l)" -eq 2 ] || fail "--keep 2 kept $(ls worst.*)"
grep -q 'milder than the 2 snapshots kept' err || fail "no milder case: $(cat err)"

# The snapshot starts at --snapshot-before, or at the start of that window.
for trigger in 'exit>1us' 'hvm_cpuid:leaf>0' 'hvm_cpuid:leaf=3'; do
    rm -f once*
    expect 0 "$xensim" --cpus 2 --rate 100k -- "$xentrace" -s 10 \
        --snapshot-on "$trigger" --snapshots 1 --snapshot-before 1us -T 60 once
    grep -qE 'hvm_cpuid was traced|a VM exit (of .* )?on pcpu' err ||
        fail "$trigger: the message has no reason"
    whole once.1
    grep -qE "hvm_(cpuid|vmentry)" out || fail "$trigger: the event is missing"
done

# The cause names the vcpu as reports of the file do: in the message, in the
# file, and for the command.
names=$top_srcdir/xensim/scenarios/noisy-neighbour.scenario
# shellcheck disable=SC2016 # the command expands the variable
for trigger in 'runnable>1ms|(waited|has been waiting for) [0-9.]+ m?s' \
    'sched_wake|sched_wake was traced for '; do
    rm -f named* cause
    expect 0 "$xensim" --scenario "$names" -- "$xentrace" -s 10 \
        --snapshot-on "${trigger%%|*}" --snapshots 1 -T 60 \
        --on-snapshot 'printf "%s\n" "$XENTRACE_CAUSE" >cause' named
    sed -n 's/^xentrace: wrote named.1 ([^)]*): //p' err >reason
    grep -qE "(Domain-0|voice|render)/[0-3]( |\$)" reason ||
        fail "$trigger: no vcpu by name: $(cat reason)"
    grep -qE "${trigger#*|}" reason ||
        fail "$trigger: $(cat reason)"
    cmp -s reason cause || fail "$trigger: the command got $(cat cause)"
    trigger_text named.1 | grep -qF "$(cat reason) (--snapshot-on" ||
        fail "$trigger: the file has $(trigger_text named.1)"
done
# An exit has a vcpu once its pcpu has switched.
expect 0 "$xensim" --scenario "$names" -- "$xentrace" -s 10 \
    --snapshot-on 'exit>1us' --snapshot-every 0 --snapshots 5 -T 60 named
grep -qE 'a VM exit of (voice|render)/[0-3] on pcpu [0-3] lasted' err ||
    fail "exits have no vcpu: $(cat err)"
# Without metadata there are no names.
expect 0 "$xensim" --scenario "$names" -- "$xentrace" --plain -s 10 \
    --snapshot-on 'runnable>1ms' --snapshots 1 -T 60 named
grep -qE 'wrote named.1 .*: d[0-9]+v[0-9]+ ' err || fail "--plain: $(cat err)"

# The value of a domain may be its name; each record behind it is of its id.
expect 0 "$xensim" --scenario "$names" -- "$xentrace" -s 10 -e sched \
    --snapshot-on sched_wake:domain=voice --snapshots 1 -T 60 named
grep -q 'sched_wake was traced' err || fail "no trigger: $(cat err)"
expect 0 "$xenalyze" --records --event sched_wake --domain voice named.1
[ -s out ] || fail "voice did not wake"
expect 1 "$xensim" --scenario "$names" -- "$xentrace" -s 10 -e sched \
    --snapshot-on sched_wake:domain=vioce --snapshots 1 -T 60 unnamed
expect_message 'did you mean voice?'
[ ! -e unnamed ] || fail "a file of a capture that did not begin"

expect 0 "$xensim" --cpus 2 -- "$xentrace" -M 1M \
    --snapshot-on 'exit>1h' --snapshot-on 'lost>1000000000' \
    --snapshot-on 'hvm_cpuid:leaf=0xdeadbeef' -T 0.5 quiet
[ ! -e quiet.1 ] || fail "a snapshot without a trigger"
expect 0 "$xensim" --cpus 2 --rate 0 -- "$xentrace" -S 1 -s 1000 -M 1M \
    --snapshot-on 'lost>10' --snapshots 1 -T 60 lost
grep -q 'records were lost' err || fail "the loss is not reported"
grep -q 'warning: larger rings lose fewer records: see -S' err ||
    fail "the loss comes without advice: $(cat err)"
whole lost.1

# A command runs after each snapshot, and does not delay the next one.
# shellcheck disable=SC2016 # the command expands the variables
expect 0 "$xensim" --cpus 2 -- "$xentrace" -s 10 --snapshot-on hvm_cpuid \
    --snapshot-every 0 --snapshots 3 -T 60 \
    --on-snapshot 'echo "$XENTRACE_FILE $XENTRACE_CAUSE" >>hooks; sleep 0.3; exit 5' hook
[ "$(cat hooks)" = "hook.1 hvm_cpuid was traced
hook.2 hvm_cpuid was traced
hook.3 hvm_cpuid was traced" ] || fail "--on-snapshot: $(cat hooks)"
[ "$(grep -c 'command for hook.. failed with exit status 5' err)" -eq 3 ] ||
    fail "failures of --on-snapshot are not reported: $(cat err)"

# A trigger gets the events that it needs.
expect 0 "$xensim" --cpus 1 --domains 6 --load busy -- "$xentrace" -e hvm \
    --snapshot-on 'runnable>1ms' --snapshots 1 -T 60 needs
grep -q -- '--snapshot-on runnable>1ms needs events that are not selected' err ||
    fail "no message about the events of the trigger: $(cat err)"
whole needs.1
# The halt of a vcpu, in which the pcpu is idle, is no long exit.
expect 0 "$xensim" --seed 5 --cpus 1 --domains 1 --kind hvm --load quiet -- \
    "$xentrace" -e hvm:entryexit --snapshot-on 'exit>100ms' --snapshots 1 -T 2 halted
grep -q -- '--snapshot-on exit>100ms needs events that are not selected (sched:min)' err ||
    fail "no message about the events of the scheduler: $(cat err)"
[ ! -e halted.1 ] || fail "a halt counts as an exit: $(cat err)"
expect 2 "$xentrace" --snapshot-on trace_cpu_change trace
expect_message 'Xen never traces this record'

# --- flight recorder ---------------------------------------------------------

expect 0 "$xensim" --cpus 2 --rate 100k -- sh -c '
    "$1" --flight-recorder -S 4 recent &
    while [ ! -s recent ]; do sleep 0.02; done; sleep 0.5
    kill -USR1 $!; while [ ! -s recent.1 ]; do sleep 0.02; done; sleep 0.5
    kill $!; wait $!' sh "$xentrace"
grep -q 'wrote recent.1 (.*): SIGUSR1' err || fail "no snapshot of the flight recorder"
whole recent.1
whole recent
[ "$(wc -c <recent)" -lt 50000 ] || fail "more than 8 pages hold"
expect 0 "$xenalyze" --dump-all recent
grep -q 'meta_start.*overwrite' out || fail "the file does not mention overwriting"
# Each snapshot has the newest records.
first=$("$xenalyze" --info recent.1 | sed -nE 's/^  time: .* ([0-9]+) \.\. [0-9]+$/\1/p')
last=$("$xenalyze" --info recent | sed -nE 's/^  time: .* ([0-9]+) \.\. [0-9]+$/\1/p')
[ "$last" -gt "$first" ] || fail "the second snapshot is not newer"

# --- progress messages -------------------------------------------------------

expect 0 "$xensim" --cpus 2 -- "$xentrace" --stats -T 2.3 trace
[ "$(grep -cE '^0:0[1-9]  .*events/s  .* lost, rings .* queued$' err)" -ge 1 ] ||
    fail "no line of --stats"
# Records in memory, and those that Xen keeps, which have no rates.
expect 0 "$xensim" --cpus 2 -- "$xentrace" --stats -M 64k -T 1.3 trace
grep -qE '^0:01  .*events/s  .* of 64.0 KiB in memory, [0-9]+ lost, rings [0-9]+ % full$' err ||
    fail "--stats -M: $(cat err)"
expect 0 "$xensim" --cpus 2 -- "$xentrace" flight -S 4 --stats -T 1.3 trace
grep -qE "^0:01  up to 32.0 KiB in Xen's rings, 0 lost\$" err ||
    fail "--stats of a flight recorder: $(cat err)"
expect 0 "$xensim" --cpus 2 -- sh -c 'rm -f trace; "$1" trace 2>answer &
    while [ ! -s trace ]; do sleep 0.02; done
    sleep 0.2; kill -USR1 $!; while [ ! -s answer ]; do sleep 0.02; done
    kill $!; wait $!' sh "$xentrace"
grep -qE '^xentrace: 0:0.* [1-9][0-9.]* [kM]?events/s' answer ||
    fail "no answer to SIGUSR1"

# A service manager is notified when tracing starts, once a second, and at the
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
        grep -q "^$word" heard || fail "the manager did not receive: $word"
    done
fi

# Two concurrent readers notice each other.
expect 0 "$xensim" --cpus 2 -- sh -c '"$1" one &
    while [ ! -s one ]; do sleep 0.02; done
    "$1" --share-rings -T 1 two; kill $!; wait' sh "$xentrace"
grep -q 'reads the rings: xentrace (' err || fail "the first reader is unnoticed"

# The end of the second reader does not end the first one's trace.
expect 0 "$xensim" --cpus 2 -- sh -c 'rm -f one; "$1" one &
    while [ ! -s one ]; do sleep 0.02; done
    "$1" --share-rings -T 1 two; size=$(wc -c <one); n=0
    while [ "$(wc -c <one)" -le $((size + 4096)) ]; do
        n=$((n + 1)); [ $n -lt 500 ] || exit 9; sleep 0.02
    done; kill $!; wait' sh "$xentrace"
grep -q 'tracing stays on for xentrace (' err || fail "no word on the first reader"
grep -q 'switched off' err && fail "the second reader has switched tracing off"

# Tracing is switched off by another program.
expect 0 "$xensim" --cpus 2 -- sh -c 'rm -f one; "$1" one &
    while [ ! -s one ]; do sleep 0.02; done
    "$1" --share-rings -X -T 0.1 two; kill $!; wait' sh "$xentrace"
grep -qE 'tracing was switched off at ..:..:.. by another program' err ||
    fail "tracing that was switched off is not reported"

# --daemon: the caller continues once tracing has started.
expect 0 "$xensim" --cpus 2 -- sh -c '
    "$1" --daemon -T 0.5 no/such/folder/trace && exit 8
    "$1" --daemon -T 0.5 trace && test -s trace || exit 9
    until "$2" --dump-all trace 2>/dev/null | grep -q meta_end; do
        sleep 0.05
    done' sh "$xentrace" "$xenalyze"
grep -q 'no/such/folder' err || fail "the message has no reason"
whole trace

# --help lists the types of triggers, and xentrace(8) describes each type.
expect 0 "$xentrace" --help
sed -n '/^Triggers of/,$s/^  \([^ ]*\)  .*/\1/p' out >types
[ "$(wc -l <types)" -ge 4 ] || fail "--help lists no triggers"
sed -n '/^\.BR .*snapshot\\-on/,/^\.RE/p' "$top_srcdir/man/xentrace.8" |
    sed -n '/^\.TP/{n;s/^\.[BIR]* //;s/[ "]//g;p;}' | sort >described
sort types | diff - described ||
    fail "--help and xentrace(8) have different triggers"

while IFS='|' read -r words reason; do
    # shellcheck disable=SC2086 # several words
    expect 2 "$xentrace" $words
    expect_message "$reason"
done <<'END'
--snapshot-on lost>x trace|lost>x
--snapshot-on nothing trace|nothing
--snapshot-on hvm_cpuid:nothing=1 trace|no field
--snapshot-on hvm_cpuid:leaf trace|FIELD
--snapshot-on hvm_cpuid|file
--snapshots 3 trace|-M
--snapshot-every 1s trace|--snapshot-on
--on-snapshot true trace|-M
--snapshot-on runnable>20 trace|20ms
--snapshot-on exit>5 trace|unit
--flight-recorder --snapshot-on lost>1 trace|--flight-recorder
--daemon|file
END
