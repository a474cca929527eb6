# SPDX-License-Identifier: GPL-2.0-or-later
#
# read-fxt.py FILE [JSON LINES]: a decoder of the Fuchsia trace format, as far as
# our files use it, the rules of its readers, and our numbers: those of JSON, the
# output of xenalyze --json, and of LINES, the lines of xenalyze dump
# sched_runstate_change.
import collections
import struct
import sys

from report_rows import compare_files, print_totals

IDLE_WEIGHT = -(1 << 31)
OUT_STATES = {1: "runnable", 2: "stopped", 3: "blocked"}


def bits(word, low, high):
    return word >> low & (1 << high - low + 1) - 1


class Reader:
    has_interrupts = False          # as wakers, told from unknown ones

    def __init__(self, data):
        assert data[:8] == b"\x10\x00\x04\x46\x78\x54\x16\x00", "no magic"
        assert len(data) % 8 == 0
        self.data, self.at, self.end = data, 8, 8
        self.strings, self.processes, self.threads = {0: ""}, {}, {}
        self.ticks = self.provider = None
        self.events = []                # (time, place in the file, ...)
        self.running, self.runs, self.exits, self.exit_ns, self.handlers, \
            self.calls, self.wakers, self.path, self.states, self.counters = \
            (collections.Counter() for _ in range(10))
        self.cpus, self.lost, self.loss_marks, self.path_parts = set(), 0, 0, 0
        self.last_switch = {}           # by cpu
        while self.at < len(data):
            self.record()

    def word(self):
        assert self.at < self.end, "a record is longer than its size"
        self.at += 8
        return struct.unpack_from("<Q", self.data, self.at - 8)[0]

    def bytes(self, length):
        size = (length + 7) // 8 * 8
        assert self.at + size <= self.end
        text = self.data[self.at:self.at + length]
        assert not any(self.data[self.at + length:self.at + size]), "padding"
        self.at += size
        return text.decode("utf-8")

    def text(self, reference):
        if reference & 0x8000:
            return self.bytes(reference & 0x7fff)
        return self.strings[reference]

    def args(self, nr):
        out = {}
        for _ in range(nr):
            start, header = self.at, self.word()
            kind, value = bits(header, 0, 3), bits(header, 32, 63)
            name = self.text(bits(header, 16, 31))
            if kind in (3, 4, 7, 8):
                value = self.word()
            elif kind == 6:
                value = self.text(value)
            elif kind == 1:
                value -= value >> 31 << 32
            else:
                assert kind == 2, "kind of argument %d" % kind
            assert self.at - start == 8 * bits(header, 4, 15)
            assert name and name not in out
            out[name] = value
        return out

    def record(self):
        start, self.end = self.at, self.at + 8
        header = self.word()
        self.end = start + 8 * bits(header, 4, 15)
        assert start < self.end <= len(self.data), "size at %d" % start
        kinds = {0: self.metadata, 1: self.clock, 2: self.string,
                 4: self.event, 7: self.object, 8: self.scheduling}
        kinds[bits(header, 0, 3)](header)
        assert self.at == self.end, "a record is shorter than its size"

    def metadata(self, header):
        kind = bits(header, 16, 19)
        if kind == 1:
            assert self.provider is None
            self.provider = self.bytes(bits(header, 52, 59))
            return
        assert bits(header, 20, 51) == 1 and self.provider is not None
        assert kind == 2 or (kind == 3 and bits(header, 52, 55) == 0)
        self.loss_marks += kind == 3

    def clock(self, _):
        assert self.ticks is None
        self.ticks = self.word()
        assert self.ticks == 10**9

    def string(self, header):
        index = bits(header, 16, 30)
        assert index and index not in self.strings
        self.strings[index] = self.bytes(bits(header, 32, 46))

    def object(self, header):
        koid = self.word()
        name = self.text(bits(header, 24, 39))
        args = self.args(bits(header, 40, 43))
        assert koid < 1 << 31
        assert koid not in self.processes and koid not in self.threads
        if bits(header, 16, 23) == 1:
            assert not args and koid and name
            self.processes[koid] = name
            return
        assert bits(header, 16, 23) == 2 and set(args) == {"process"}
        assert args["process"] in self.processes or name == "idle"
        self.threads[koid] = name, args["process"]

    def name_of(self, koid, weight=None):
        name, pid = self.threads[koid]
        assert (name == "idle") == (weight == IDLE_WEIGHT) == (pid == 0)
        return "" if name == "idle" else name

    def scheduling(self, header):
        kind, cpu = bits(header, 60, 63), bits(header, 20, 35)
        time = self.word()
        if kind == 2:
            name = self.name_of(self.word())
            args = self.args(bits(header, 16, 19))
            assert set(args) <= {"waker"}
            waker = self.name_of(args["waker"]) if args else None
            self.events.append((time, len(self.events), "wake", name, waker))
            return
        assert kind == 1
        out, into = self.word(), self.word()
        args = self.args(bits(header, 16, 19))
        assert set(args) <= {"outgoing_weight", "incoming_weight"}
        out = self.name_of(out, args.get("outgoing_weight"))
        into = self.name_of(into, args.get("incoming_weight"))
        assert time >= self.last_switch.get(cpu, 0), "switches out of order"
        self.last_switch[cpu] = time
        self.cpus.add(cpu)
        self.events.append((time, len(self.events), "switch", cpu, out,
                            OUT_STATES[bits(header, 36, 39)], into))

    def event(self, header):
        kind, nr = bits(header, 16, 19), bits(header, 20, 23)
        assert bits(header, 24, 31) == 0
        time, pid, tid = self.word(), self.word(), self.word()
        label, process = self.threads[tid]
        assert process == pid
        category = self.text(bits(header, 32, 47))
        name = self.text(bits(header, 48, 63))
        args = self.args(nr)
        if kind == 0:
            assert category == "pv" and "pcpu" in args
            self.calls[label, name] += 1
        elif kind == 1:
            assert name == "frequency" and args["Hz"] and self.word() < 16384
            self.counters[name] += 1
        else:
            assert kind == 4
            self.complete(time, self.word(), tid, label, category, name, args)

    def complete(self, time, end, tid, label, category, name, args):
        assert end >= time and name
        self.events.append((time, -end, "slice", tid, end, name))
        if category == "exit":
            self.exits[label, name] += 1
            self.exit_ns[label, name] += end - time
            self.handlers[label, name, args.get("handler")] += 1
            assert "rip" in args and "pcpu" in args
        elif category == "critical path":
            self.path[name] += end - time
            self.path_parts += 1
        elif category == "loss":
            self.lost += args["records"]
        else:
            assert category in ("interrupt", "sleep")

    def replay(self):
        """States of threads, in the order of time."""
        state, cpus, stacks = {}, {}, collections.defaultdict(list)
        self.events.sort(key=lambda e: e[:2])
        for e in self.events:
            time = e[0]
            if e[2] == "wake":
                old, since, _ = state.get(e[3], ("", 0, 0))
                assert old != "running", "%s is woken while it runs" % e[3]
                state[e[3]] = "woken", time, None
                if e[4] is not None:
                    self.wakers[e[4], e[3]] += 1
            elif e[2] == "switch":
                cpu, out, out_state, into = e[3:]
                assert out != into
                assert cpus.get(cpu, "") == out, (cpu, cpus.get(cpu), out)
                cpus[cpu] = into
                if out:
                    old, since, where = state[out]
                    assert old == "running" and where == cpu
                    self.running[out] += time - since
                    state[out] = out_state, time, None
                if into:
                    old, since, _ = state.get(into, ("", 0, 0))
                    assert old != "running", "%s runs twice" % into
                    self.states[into, old] += time - since if old else 0
                    state[into] = "running", time, cpu
                    self.runs[into] += 1
            else:
                tid, end = e[3:5]
                stack = stacks[tid]
                while stack and stack[-1] <= time:
                    stack.pop()
                assert not stack or end <= stack[-1], "slices overlap"
                stack.append(end)
        assert not any(cpus.values()), "vcpus that run for ever"


def main():
    with open(sys.argv[1], "rb") as f:
        x = Reader(f.read())
    assert x.provider and x.ticks
    x.replay()
    if len(sys.argv) > 3:
        compare_files(x, sys.argv[2], sys.argv[3])
    print_totals(x)
    print("waits after wake-ups %d ns, waits of preempted %d ns" %
          (sum(t for (_, s), t in x.states.items() if s == "woken"),
           sum(t for (_, s), t in x.states.items() if s == "runnable")))
    times = [e[0] for e in x.events]
    print("times", min(times), max(times))
    print("provider", ascii(x.provider))


main()
