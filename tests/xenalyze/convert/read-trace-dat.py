#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# read-trace-dat.py FILE HZ [FIELDS [JSON]]: read a file with trace-cmd report,
# and compare pcpu by pcpu the times, names and fields of all events of Xen with
# FIELDS, which the program `fields` has printed, and times of running vcpus with
# those of JSON, the output of xenalyze --json.  Events of Linux have to follow
# from those of Xen, unless FIELDS is "part", a selection of records.  HZ:
# frequency of the time stamps.
import collections
import json
import re
import subprocess
import sys

EVENT = re.compile(r'\s*(.+)-(\d+)\s+\[(\d+)\]\s+(\d+)\.(\d{9}): (\w+): *(.*)$')
LOST = re.compile(r'CPU:(\d+) \[(\d+) EVENTS DROPPED\]$')
FIELD = re.compile(r'(\w+)=(ARRAY\[[^]]*\]|\S+)')
UNKNOWN = 1

Event = collections.namedtuple('Event', 'cpu time comm pid name fields')


def array(text, size):
    data = bytes(int(b, 16) for b in text[6:-1].split(', ') if b)
    assert len(data) % size == 0
    return [int.from_bytes(data[i:i + size], 'little')
            for i in range(0, len(data), size)]


def parse_fields(name, text):
    fields = {}
    for field, value in FIELD.findall(text):
        if field.endswith('comm'):
            fields[field] = value
        elif value.startswith('ARRAY'):
            size = 4 if name == 'unknown' else 8
            for i, v in enumerate(array(value, size)):
                fields['[%d]' % i] = v
        else:
            fields[field] = int(value, 0)
    return fields


def read(name):
    done = subprocess.run(['trace-cmd', 'report', '-R', '-t', name],
                          capture_output=True, check=False)
    text = done.stdout.decode('utf-8')
    if done.returncode or done.stderr:
        sys.exit('trace-cmd: ' + done.stderr.decode())
    events, lost = [], collections.Counter()
    for line in text.splitlines()[1:]:
        gap, event = LOST.match(line), EVENT.match(line)
        if gap:
            lost[int(gap[1])] += int(gap[2])
        elif event:
            time = int(event[4]) * 10**9 + int(event[5])
            events.append(Event(int(event[3]), time, event[1], int(event[2]),
                                event[6], parse_fields(event[6], event[7])))
        elif ' is empty' not in line:
            sys.exit('trace-cmd says: ' + line)
    return events, lost


def is_linux(event):
    return event.name == 'sched_waking' or 'prev_pid' in event.fields


def expected(name):
    for line in open(name, encoding='ascii'):
        cpu, time, event, *pairs = line.split()
        yield (int(cpu), int(time), event,
               {n: int(v) for n, v in (p.split('=') for p in pairs)})


def compare_fields(events, want, hz):
    first = min(w[1] for w in want)
    have = collections.defaultdict(list)
    for e in events:
        if not is_linux(e) and e.name != 'unreported_loss':
            have[e.cpu].append(e)
    for cpu, time, name, fields in want:
        e = have[cpu].pop(0) if have[cpu] else None
        if not e or (e.name, e.fields) != (name, fields):
            sys.exit(f'pcpu {cpu}: {e}, not {name} {fields}')
        if abs(e.time - (time - first) * 10**9 // hz) > 1:
            sys.exit(f'pcpu {cpu}: {e}, not at {time}')
    if any(have.values()):
        sys.exit('more events than records')


def pid_of(domain, vcpu):
    return 0 if domain == 32767 else (domain + 2) << 16 | vcpu


class Cpu:
    def __init__(self):
        self.current = None             # next_pid of the last switch
        self.left = None                # (pid, state) since the last run
        self.since = None


def check_linux(events):
    """Each event of the scheduler follows from the change before it."""
    cpus = collections.defaultdict(Cpu)
    ran, runs, open_ns = (collections.Counter() for _ in range(3))
    count = collections.Counter()
    change = {}
    for e in events:
        c, f = cpus[e.cpu], e.fields
        if e.name == 'lost_records':
            c.current = c.left = c.since = None
        if e.name == 'sched_waking':
            x = change[e.cpu]
            assert x.time == e.time and x.pid == e.pid
            assert f['pid'] == pid_of(x.fields['dom'], x.fields['vcpu'])
            assert x.fields['to'] == 1 and x.fields['from'] in (2, 3)
            count['wake-ups'] += 1
        elif 'prev_pid' in f:
            x = change[e.cpu]
            assert x.time == e.time and x.fields['to'] == 0
            assert f['next_pid'] == pid_of(x.fields['dom'], x.fields['vcpu'])
            assert f['prev_pid'] == e.pid != f['next_pid']
            assert c.current in (None, f['prev_pid']) or \
                f['prev_pid'] == UNKNOWN, (e, c.current)
            assert c.left in (None, (f['prev_pid'], f['prev_state']))
            if c.since is not None:
                ran[c.comm] += e.time - c.since
                runs[c.comm] += 1
            else:
                open_ns[e.comm] += e.time
            c.current, c.left = f['next_pid'], None
            c.since, c.comm = e.time, f['next_comm']
            count['switches'] += 1
        elif e.name == 'sched_runstate_change':
            change[e.cpu] = e
            count['to runnable'] += f['to'] == 1 and f['from'] in (2, 3)
            if f['from'] == 0:
                state = {1: 0, 2: 1}.get(f['to'], 4)
                c.left = pid_of(f['dom'], f['vcpu']), state
    assert count['wake-ups'] == count['to runnable']
    for c in cpus.values():
        if c.since is not None:
            open_ns[c.comm] += events[-1].time - c.since
    return ran, runs, open_ns, count


# A switch is up to a microsecond behind the end of the run before.  Runs without
# a begin or an end in the trace are not in `ran`.
def compare_times(ran, runs, open_ns, report):
    assert ran
    for row in report['tables']['vcpu_states']:
        name = row.get('domain_name') or 'd%d' % row['domain']
        label = '%s%s%d' % (name, '/' if row.get('domain_name') else 'v',
                            row['vcpu'])
        if row['state'] != 'running' or label not in ran:
            continue
        want = row['total_ns'] + row['open_ns']
        assert ran[label] - 1000 * runs[label] <= want <= \
            ran[label] + open_ns[label] + 1000, (label, ran[label], want)


have, lost = read(sys.argv[1])
hz = int(sys.argv[2])
for cpu in {e.cpu for e in have}:
    times = [e.time for e in have if e.cpu == cpu]
    assert times == sorted(times), 'events are not in the order of time'
is_part = sys.argv[3:] == ['part']
if len(sys.argv) > 3 and not is_part:
    compare_fields(have, list(expected(sys.argv[3])), hz)
ran, runs, open_ns, count = check_linux([] if is_part else have)
if len(sys.argv) > 4:
    with open(sys.argv[4], encoding='utf-8') as f:
        compare_times(ran, runs, open_ns, json.load(f))
print('events', sum(not is_linux(e) and e.name != 'unreported_loss'
                    for e in have))
print('switches %d, wake-ups %d' % (count['switches'], count['wake-ups']))
print('tasks', *sorted({e.comm for e in have}))
print('times', min(e.time for e in have), max(e.time for e in have))
for cpu in sorted(lost):
    print('pcpu', cpu, 'lost', lost[cpu])
