#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The commands of xentrace: record, flight, list, help.
. "$top_srcdir/tests/tools/capture-lib.sh"

# --- record and flight -------------------------------------------------------

expect 0 "$xensim" --cpus 2 -- "$xentrace" record -e sched -T 0.3 first
expect 0 "$xenalyze" --info first
grep -qE '^sched ' out || fail "record: no events"

# Options may precede the command; without a command, xentrace records.
expect 0 "$xensim" --cpus 2 -- "$xentrace" -T 0.2 record second
[ -s second ] || fail "options before the command: no file"
expect 0 "$xensim" --cpus 2 -- "$xentrace" -T 0.2 third
[ -s third ] || fail "no command: no file"

# The name of a file that exists is no command.
: >record
expect 0 "$xensim" --cpus 2 -- "$xentrace" -T 0.2 record
[ -s record ] || fail "an existing file is taken for a command"
rm record

expect 0 "$xensim" --cpus 2 -- "$xentrace" flight -S 4 -T 0.5 flight.bin
expect 0 "$xenalyze" --dump-all flight.bin
grep -q 'meta_start.*overwrite' out || fail "flight is no flight recorder"

# --- list --------------------------------------------------------------------

expect 0 "$xentrace" list
cp out all
awk 'length > 80' all | grep . && fail "list: lines of more than 80 columns"
grep -qE '^sched:min +0x00021000  [a-z]' all || fail "list: no class"
grep -qE '^sched_wake +0x00028004  dom vcpu$' all || fail "list: no event"
grep -q '^meta_' all && fail "list: events that Xen never traces"
cut -d' ' -f1 all | sort | uniq -d | grep . && fail "list: a name twice"

expect 0 "$xentrace" list 'sched_w*,hvm:handler'
grep -q '^sched_wake ' out || fail "list: the pattern selects no event"
grep -q '^hvm_cpuid ' out || fail "list: no event of the subclass"
grep -qE '^(mem|sched:min|hvm_vmexit) ' out && fail "list: too much"
# A class has events of other names, too; a pattern has no classes.
expect 0 "$xentrace" list sched
for name in sched:min sched_wake csched2_tickle rtds_schedule; do
    grep -q "^$name " out || fail "list sched: no $name"
done
expect 0 "$xentrace" list 'sched_*'
grep -v '^sched_[a-z_]* ' out | grep . && fail "list: not of the pattern"
expect 0 "$xentrace" list TRC_SCHED_WAKE
grep -q '^sched_wake ' out || fail "list: no constant"
expect 0 "$xentrace" list 0x28004
[ "$(cut -d' ' -f1 out | head -n 1)" = sched_wake ] || fail "list: no number"

# Each name of the list is an argument of -e, and each event a trigger.
while read -r name _; do
    expect 0 "$xensim" --cpus 1 -- "$xentrace" -q -e "$name" -T 1ms trace
done <<END
$(sed -n '1~40p' all)
END
expect 0 "$xensim" --cpus 1 -- "$xentrace" -q -T 1ms \
    --snapshot-on "$(grep -m 1 '^pv_' all | cut -d' ' -f1)" trace

# --- help --------------------------------------------------------------------

expect 0 "$xentrace" --help
[ "$(wc -l <out)" -le 30 ] || fail "--help has $(wc -l <out) lines"
awk 'length > 80' out | grep . && fail "--help: lines of more than 80 columns"
for word in record flight list 'runnable>TIME' 'help all'; do
    grep -qF "$word" out || fail "--help lacks: $word"
done
expect 0 "$xentrace" help all
grep -qF -- '--snapshot-every' out || fail "help all is incomplete"
grep -qF 'runnable>TIME' out || fail "help all lacks the triggers"
for command in record flight list; do
    expect 0 "$xentrace" help $command
    grep -q "^Usage: xentrace $command " out || fail "help $command: $(cat out)"
done

# --- wrong calls -------------------------------------------------------------

expect 2 "$xentrace" flight
expect_message 'give the FILE'
expect 2 "$xentrace" list nosuch
expect_message 'no class or event'
expect 2 "$xentrace" list ,
expect_message 'no class or event'
expect 2 "$xentrace" list a b
expect_message 'one pattern'
expect 1 sh -c '"$1" list >/dev/full' sh "$xentrace"
expect_message 'standard output'

# Without FILE on a terminal, the file is missing, not the hypervisor.
if command -v python3 >/dev/null; then
    for arguments in '' '-' 'record'; do
        # shellcheck disable=SC2086 # several words, or none
        python3 -c 'import os, pty, sys
sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))' \
            "$xentrace" $arguments >out 2>err </dev/null
        [ $? -eq 2 ] || fail "on a terminal: another exit status"
        grep -q 'FILE is missing' out || fail "on a terminal: $(cat out)"
    done
fi
