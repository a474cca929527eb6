#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# read-ctf.py FOLDER [FIELDS]: read a trace in CTF with babeltrace2, and compare
# pcpu by pcpu the times in cycles, names and fields of all events with FIELDS,
# which the program `fields` has printed.  Print the number of events, those
# that the tracer discarded by pcpu, the environment, and the distance in ns of
# the wall clock from that of the trace, at the last event.
import re
import subprocess
import sys

PAIR = re.compile(r'(\[?\w+\]?) = '
                  r'(?:\( .*? : container = (0x[0-9A-F]+|-?\d+) \)|(0x[0-9A-F]+|-?\d+))')
LINE = re.compile(r'\[(\d+)\] (\S+): \{ cpu_id = (\d+) \}, \{ (.*?) \}'
                  r'(?:, \{ ?(.*?) ?\})?$')
LOST = re.compile(r'Tracer discarded (\d+) events? between .* and .*'
                  r'within stream ".*?pcpu(\d+)"')


def read(*options):
    done = subprocess.run(['babeltrace2', '--no-delta', *options, sys.argv[1]],
                          capture_output=True, check=False)
    text = done.stdout.decode('ascii') + done.stderr.decode('ascii')
    if done.returncode:
        sys.exit('babeltrace2: ' + done.stderr.decode())
    return text.splitlines()


def fields(text):
    pairs = {n: int(c or v, 0) for n, c, v in PAIR.findall(text or '')}
    return {n: v for n, v in pairs.items()
            if not re.fullmatch(r'unused\d+|nr_args|nr_words', n)}


def events():
    found, lost = [], {}
    for line in read('--clock-cycles'):
        event, gap = LINE.match(line), LOST.search(line)
        if gap:
            lost[int(gap[2])] = lost.get(int(gap[2]), 0) + int(gap[1])
        elif event:
            found.append((int(event[3]), int(event[1]), event[2],
                          fields(event[5])))
        else:
            sys.exit('babeltrace2 says: ' + line)
    return found, lost


def expected(name):
    for line in open(name, encoding='ascii'):
        cpu, time, event, *pairs = line.split()
        yield (int(cpu), int(time), event,
               {n: int(v) for n, v in (p.split('=') for p in pairs)})


def compare(have, want):
    for cpu in {e[0] for e in have} | {e[0] for e in want}:
        a = [e[1:] for e in have if e[0] == cpu]
        b = [e[1:] for e in want if e[0] == cpu]
        for x, y in zip(a, b):
            if x != y:
                sys.exit(f'pcpu {cpu}: {x}, not {y}')
        if len(a) != len(b):
            sys.exit(f'pcpu {cpu}: {len(a)} events, not {len(b)}')


def clock_error(have):
    clocks = [e[3] for e in have if e[2] == 'meta_clock']
    rates = [e[3]['hz'] for e in have if e[2] == 'meta_tsc']
    if not clocks or not rates:
        return 'unknown'
    lines = [line for line in read('--clock-seconds') if line[0] == '[']
    last = re.match(r'\[(\d+)\.(\d+)\]', lines[-1])
    if not last:
        return 'unknown'
    time = int(last[1]) * 10**9 + int(last[2])
    want = clocks[0]['wall'] + (max(e[1] for e in have) -
                                clocks[0]['tsc']) * 10**9 // rates[0]
    return abs(time - want)


have, lost = events()
for pcpu in {e[0] for e in have}:
    times = [e[1] for e in have if e[0] == pcpu]
    if times != sorted(times):
        sys.exit(f'pcpu {pcpu}: events are not in the order of time')
if len(sys.argv) > 2:
    compare(have, list(expected(sys.argv[2])))
print('events', len(have))
for cpu in sorted(lost):
    print('pcpu', cpu, 'lost', lost[cpu])
print('clock', clock_error(have))
