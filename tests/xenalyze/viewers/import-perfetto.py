# SPDX-License-Identifier: GPL-2.0-or-later
#
# import-perfetto.py TEXT [JSON LINES | --waits | --blocks | --addresses]: the rules of Perfetto's importer, as far
# as they concern our files, and our numbers.
#
# TEXT is the output of protoc --decode=Trace.  The packets are imported in the
# order of time, as the importer does; each packet that the importer would drop
# or count as an error is an error here.  Then times and counts have to equal
# those of JSON, the output of xenalyze --json, and of LINES, the lines of
# xenalyze dump sched_runstate_change.  With --waits, lists the longest waits;
# with --blocks, blocked times by reason, and the values of counters;
# with --addresses, the guest addresses of samples.
import bisect
import collections
import sys

from report_rows import compare_files, print_totals

ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


def parse_text(value):
    """A quoted string of protoc, with octal escapes of bytes, as text."""
    out, i, value = bytearray(), 0, value[1:-1]
    while i < len(value):
        c = value[i]
        if c != "\\":
            out += c.encode()
            i += 1
        elif value[i + 1].isdigit():
            out.append(int(value[i + 1:i + 4], 8))
            i += 4
        else:
            out += ESCAPES.get(value[i + 1], value[i + 1]).encode()
            i += 2
    return out.decode("utf-8")


def parse_message(lines):
    """A message is a dictionary of lists."""
    message = collections.defaultdict(list)
    for line in lines:
        line = line.strip()
        if line == "}":
            break
        if line.endswith("{"):
            name, value = line[:-1].strip(), parse_message(lines)
        else:
            name, value = line.split(": ", 1)
            if value.startswith('"'):
                value = parse_text(value)
            elif value in ("true", "false"):
                value = value == "true"
            elif name == "counter_double":
                value = float(value)
            else:
                value = int(value)
        assert not name[0].isdigit(), "field %s is not in the schema" % name
        message[name].append(value)
    return message


def one(message, name, default=None):
    values = message.get(name, [])
    assert len(values) <= 1, name
    return values[0] if values else default


CREATED, RUNNABLE, RUNNING, SLEEPING, STOPPED = 1, 2, 3, 4, 6


class Importer:
    has_interrupts = True           # as wakers, told from unknown ones

    def __init__(self):
        self.is_compact, self.current = False, {}   # by cpu: tid
        self.processes, self.threads = {}, {}       # pid: name, tid: ...
        self.state, self.since = {}, {}             # by tid
        self.cpu = {}                               # cpu: (tid, from)
        self.tracks = {}                            # uuid: descriptor
        self.stacks = collections.defaultdict(list)
        self.interned = {}
        self.clocks = set()
        self.running = collections.Counter()
        self.runs = collections.Counter()
        self.times = collections.Counter()          # by label and state
        self.wakers = collections.Counter()
        self.calls = collections.Counter()
        self.exits = collections.Counter()
        self.exit_ns = collections.Counter()
        self.handlers = collections.Counter()
        self.cpus = set()
        self.lost = 0
        self.loss_marks = 0
        self.attributes = {}
        self.path = collections.Counter()
        self.path_parts = 0
        self.waits = []                 # label, from, to, notes, pieces
        self.addresses = set()
        self.samples = collections.defaultdict(list)    # by vcpu
        self.sampled = collections.Counter()
        self.exit_list = set()
        self.flows = {}                 # by id: (time, row, name)
        self.blocks = []                # label, from, to, name
        self.asleep = collections.defaultdict(list)     # by label: from, to
        self.counters = collections.defaultdict(list)   # by name: time, value
        self.open_flows = set()

    def change(self, tid, state, time, cpu, comm):
        assert tid > 0 and tid not in self.processes, "tid %d" % tid
        assert comm and comm == self.threads[tid][1], "comm %r" % comm
        assert 0 <= cpu < 4096
        old = self.state.get(tid)
        if old is not None:
            assert time > self.since[tid] or \
                (self.is_compact and time == self.since[tid]), "%s: two changes at %d" % (comm,
                                                                      time)
            assert (old, state) != (RUNNING, RUNNING), "%s runs twice" % comm
            self.times[comm, old] += time - self.since[tid]
            if old == SLEEPING:
                self.asleep[comm].append((self.since[tid], time))
        if old == RUNNING:
            assert self.cpu.get(cpu, (0,))[0] == tid, \
                "%s leaves cpu %d, where it does not run" % (comm, cpu)
            self.running[comm] += time - self.cpu.pop(cpu)[1]
        if state == RUNNING:
            assert cpu not in self.cpu, "cpu %d runs two at %d" % (cpu, time)
            self.cpu[cpu] = tid, time
            self.cpus.add(cpu)
            self.runs[comm] += 1
        self.state[tid], self.since[tid] = state, time

    def task_state(self, packet, time):
        m = one(packet, "task_state")
        self.change(one(m, "tid"), one(m, "state"), time, one(m, "cpu"),
                    one(m, "comm"))

    def waking(self, bundle, event, time):
        m, pid = one(event, "sched_waking"), one(event, "pid")
        tid = one(m, "pid")
        assert one(bundle, "cpu") < 1024 and tid < 1 << 31
        assert self.state[tid] in (SLEEPING, STOPPED), "wakes no sleeper"
        assert pid == 0 or pid in self.threads
        cpu = one(m, "target_cpu")
        self.change(tid, RUNNABLE, time, cpu, one(m, "comm"))
        self.wakers[self.threads[pid][1] if pid else "interrupt",
                    one(m, "comm")] += 1

    def switch(self, packet):
        """A switch of the columns of a cpu."""
        cpu, time, state, pid, comm = packet["switch"]
        old = self.current.get(cpu)
        assert cpu < 1024 and 0 <= pid < 1 << 31
        assert old is not None or pid == 0, "the first switch makes no slice"
        assert old != pid or old == 0
        if old:
            self.change(old, {0: RUNNABLE, 1: SLEEPING, 4: STOPPED}[state],
                        time, cpu, self.threads[old][1])
        if pid:
            self.change(pid, RUNNING, time, cpu, comm)
        self.current[cpu] = pid

    def compact_waking(self, packet):
        cpu, time, pid, target, comm, flags = packet["waking"]
        assert cpu in self.current, "no switch before a wake-up"
        assert target < 1024 and flags in (0, 8)
        # States that are unknown have no event: a vcpu that seems to wait may
        # be woken, which the importer ignores.
        old = self.state.get(pid)
        assert old != RUNNING, "%s is woken while it runs" % comm
        if old != RUNNABLE:
            self.change(pid, RUNNABLE, time, target, comm)
        if not flags:
            waker = self.current[cpu]
            assert waker, "the idle task wakes"
            self.wakers[self.threads[waker][1], comm] += 1

    def ftrace(self, packet):
        bundle = one(packet, "ftrace_events")
        self.loss_marks += one(bundle, "lost_events", False)
        for event in bundle["event"]:
            self.waking(bundle, event, one(event, "timestamp"))

    def descriptor(self, packet, time):
        d = one(packet, "track_descriptor")
        uuid, process, thread = (one(d, n) for n in ("uuid", "process",
                                                     "thread"))
        assert uuid not in self.tracks and uuid
        self.tracks[uuid] = d
        if process:
            assert 0 < one(process, "pid") < 1 << 31
            self.processes[one(process, "pid")] = one(process, "name")
        if thread:
            pid, tid = one(thread, "pid"), one(thread, "tid")
            assert pid in self.processes and tid != pid
            assert self.threads.get(tid, (pid, one(thread, "name"))) == \
                (pid, one(thread, "name"))
            self.threads[tid] = pid, one(thread, "name")
        if one(d, "parent"):
            assert one(d, "parent") in self.tracks

    def tree(self, packet):
        tree = one(packet, "process_tree")
        for p in tree["process"]:
            assert " " not in one(p, "cmdline")
        for t in tree["thread"]:
            self.threads[one(t, "tid")] = one(t, "pid"), one(t, "comm")

    def intern(self, packet):
        for kind, entries in one(packet, "interned", {}).items():
            for entry in entries:
                iid = one(entry, "iid")
                assert iid and (kind, iid) not in self.interned
                self.interned[kind, iid] = one(entry, "name")

    def intern_samples(self, packets):
        """Samples have a sequence of their own, which may clear all names."""
        names, seen = {}, False
        for packet in (p for p in packets if one(p, "sequence") == 2):
            flags = one(packet, "flags")
            assert flags & 2 and (flags & 1 or seen)
            assert bool(one(packet, "first_on_sequence")) != seen
            seen = True
            if flags & 1:
                names = {}
            interned = one(packet, "interned", {})
            for kind in ("function", "frame", "stack"):
                for entry in interned.get(kind, []):
                    iid = one(entry, "iid")
                    assert iid and (kind, iid) not in names
                    names[kind, iid] = one(entry, "name") \
                        if kind == "function" else \
                        names["function", one(entry, "function")] \
                        if kind == "frame" else \
                        [names["frame", i] for i in entry["frame"]]
            sample = one(packet, "stack_sample")
            self.sample(one(packet, "timestamp"), sample,
                        names["stack", one(sample, "stack_iid")])

    def sample(self, time, sample, stack):
        task, execution = one(sample, "task"), one(sample, "execution")
        counter = one(sample, "counter")
        assert (one(counter, "name"), one(counter, "unit")) == ("VM exits", 9)
        pid, label = self.threads[one(task, "tid")]
        domain, reason, address = stack
        assert pid == one(task, "pid") and domain == self.processes[pid]
        if address.startswith("0x"):
            assert (label, time, reason, int(address, 16)) in self.exit_list
            if "mode" in execution:
                assert one(execution, "mode") == \
                    4 + (int(address, 16) >> 63), address
        self.samples[label].append(time)
        self.sampled[label] += one(sample, "weight")
        self.addresses.add(address)

    def check_samples(self):
        """Weights add up to all exits, at most one sample in 1 ms of a vcpu."""
        exits = collections.Counter()
        for (label, _), times in self.exits.items():
            exits[label] += times
        assert exits == self.sampled, (exits, self.sampled)
        for times in self.samples.values():
            assert times == sorted(times)
            # Of two neighbours, the first may be late and the second early.
            for a, b in zip(times, times[2:]):
                assert b - a >= 1000000, "samples at %d and %d" % (a, b)

    def notes(self, event):
        notes = {}
        for a in event["annotation"]:
            name = self.interned["annotation_name", one(a, "name_iid")]
            value = [v[0] for k, v in a.items() if k != "name_iid"]
            assert len(value) == 1 and name not in notes
            if "string_iid" in a:
                value = [self.interned["annotation_string", value[0]]]
            notes[name] = value[0]
        return notes

    def row(self, track):
        """The vcpu of a track, or the name of the track."""
        thread = one(track, "thread")
        return one(thread, "name") if thread else one(track, "name")

    def flow(self, e, time, track, name):
        """A flow joins events in the order of time, until its last one."""
        for field in ("flow", "last_flow"):
            for number in e[field]:
                assert number and (number in self.open_flows or
                                   number not in self.flows), "flow ended"
                self.open_flows.add(number)
                self.flows.setdefault(number, []).append(
                    (time, self.row(track), name))
        self.open_flows -= set(e["last_flow"])

    def end_wait(self, track, stack, slice, time):
        start, name, category, notes = slice
        if stack:
            assert not category and len(stack) == 1
            stack[0][3]["pieces"].append((start, time, name))
            return
        assert name == "waits" and category
        label = self.row(track)[len("longest waits of "):]
        thread = self.tracks[one(track, "parent")]
        assert self.row(thread) == label
        pieces = notes.pop("pieces")
        # A nanosecond of rounding for each piece.
        rest = time - start - sum(b - a for a, b, _ in pieces)
        assert not pieces or \
            abs(rest - notes.get("their ns", 0)) <= len(pieces) + 1, \
            "pieces of a wait leave %d ns" % rest
        self.waits.append((label, start, time, notes, pieces))

    def event(self, packet, time):
        e = one(packet, "track_event")
        assert one(packet, "sequence") == 1, "an event needs a sequence"
        assert one(packet, "flags") & 2
        track = self.tracks[one(e, "track")]
        stack = self.stacks[one(e, "track")]
        if one(e, "type") == 2:
            start, name, category, notes = stack.pop()
            if one(track, "name", "").startswith("longest waits of "):
                self.end_wait(track, stack, (start, name, category, notes),
                              time)
                return
            if one(track, "name", "").startswith("blocked times of "):
                assert not stack, "blocked times overlap"
                label = self.row(track)[len("blocked times of "):]
                assert self.row(self.tracks[one(track, "parent")]) == label
                self.blocks.append((label, start, time, name))
                return
            if one(track, "name", "").startswith("critical path of "):
                assert not stack, "parts of the path overlap"
                self.path[name] += time - start
                self.path_parts += 1
            if category:
                label = one(one(track, "thread"), "name")
                self.exits[label, name] += 1
                self.exit_list.add((label, start, name, notes["rip"]))
                self.exit_ns[label, name] += time - start
                self.handlers[label, name, notes.get("handler")] += 1
            return
        if one(e, "type") == 4:
            assert one(track, "counter") is not None, "no counter"
            values = self.counters[one(track, "name")]
            value = one(e, "counter_value", one(e, "counter_double"))
            assert not values or time >= values[-1][0] and \
                value != values[-1][1], "a value is not new"
            values.append((time, value))
            return
        name = one(e, "name") or self.interned["event_name",
                                               one(e, "name_iid")]
        category = one(e, "category_iid")
        self.flow(e, time, track, name)
        if one(e, "type") == 3 and (e["flow"] or e["last_flow"]):
            assert self.interned["category", category] == "wait"
            return
        if one(e, "type") == 3:
            assert self.interned["category", category] == "pv"
            self.calls[one(one(track, "thread"), "name"), name] += 1
            return
        assert one(e, "type") == 1
        notes = self.notes(e)
        if e["flow"]:
            assert not stack, "waits overlap"
            assert self.interned["category", category] == "wait"
            notes["pieces"] = []
        elif category:
            assert self.interned["category", category] == "exit"
            assert not stack, "exits overlap"
            assert notes["rip"] and "pcpu" in notes
        if name == "records lost":
            self.lost += notes["records"]
        stack.append((time, name, category, notes))

    def packet(self, packet):
        time = one(packet, "timestamp")
        if "switch" in packet:
            self.switch(packet)
            return
        if "waking" in packet:
            self.compact_waking(packet)
            return
        if "ftrace_events" in packet:
            self.ftrace(packet)
            return
        assert time is not None and time < 1 << 63, "a time is negative"
        for name, function in (("task_state", self.task_state),
                               ("track_event", self.event),
                               ("track_descriptor", self.descriptor)):
            if name in packet:
                function(packet, time)
        if "process_tree" in packet:
            self.tree(packet)
        for m in one(packet, "attributes", {}).get("attribute", []):
            self.attributes[one(m, "key")] = one(m, "text", one(m, "number"))

    def expand(self, packet):
        """The events of columns, or the packet."""
        bundle = one(packet, "ftrace_events", {})
        if "compact" not in bundle:
            yield packet
            return
        self.is_compact, self.has_interrupts = True, False
        cpu, c = one(bundle, "cpu", 0), one(bundle, "compact")
        names = c["name"]
        columns = [c["switch_" + n] for n in ("time", "state", "pid", "name")]
        assert len({len(x) for x in columns + [c["switch_prio"]]}) == 1
        for kind, column in (("switch", columns), ("waking", [
                c["waking_" + n] for n in ("time", "pid", "cpu", "name",
                                           "flags")])):
            assert len({len(x) for x in column}) == 1
            time = 0
            for distance, *values in zip(*column):
                time += distance
                values[-1 if kind == "switch" else 2] = \
                    names[values[-1 if kind == "switch" else 2]]
                yield {kind: (cpu, time, *values), "timestamp": [time]}

    def import_all(self, packets):
        # A snapshot before the first time; interned names in file order.
        assert "clock_snapshot" in packets[0]
        clocks = one(packets[0], "clock_snapshot")
        assert one(clocks, "primary") in [one(c, "id")
                                          for c in clocks["clock"]]
        sequence = [p for p in packets if one(p, "sequence") == 1]
        if sequence:
            assert one(sequence[0], "flags") & 1
            assert one(sequence[0], "first_on_sequence")
        assert not any(one(p, "flags") & 1 for p in sequence[1:])
        for p in packets:
            assert "interned" not in p or one(p, "flags") & 2
            if one(p, "sequence") != 2:
                self.intern(p)
        of_samples = packets
        packets = [p for packet in packets for p in self.expand(packet)]
        packets.sort(key=sort_key)
        for p in packets:
            self.packet(p)
        open_slices = [t for t, s in self.stacks.items() if s]
        assert not open_slices, "slices without an end"
        assert not self.cpu, "vcpus that run for ever"
        self.check_waits()
        self.check_blocks()
        self.intern_samples(of_samples)
        self.check_samples()

    def check_waits(self):
        assert len(self.flows) == len(self.waits)
        waits = {(label, start) for label, start, *_ in self.waits}
        ends = {(label, end) for label, _, end, notes, _ in self.waits
                if "pcpu" in notes}
        for events in self.flows.values():
            [(start, row)] = [(t, row[len("longest waits of "):])
                              for t, row, name in events if name == "waits"]
            assert (row, start) in waits
            before = [e for e in events if e[2] == "wakes " + row]
            after = [e for e in events if e[2] == "runs"]
            assert events == before + [(start, "longest waits of " + row,
                                        "waits")] + after, events
            assert len(before) <= 1 and len(after) == ((row, after[0][0])
                                                       in ends if after else 0)

    def check_blocks(self):
        """A blocked time is a state of the vcpu, or a part of one."""
        for label, start, end, name in self.blocks:
            at = bisect.bisect_right(self.asleep[label],
                                     (start + 1, 1 << 63)) - 1
            assert at >= 0 and self.asleep[label][at][1] >= end - 1, \
                "%s is not blocked at %d" % (label, start)

    def print_blocks(self):
        times, total = collections.Counter(), collections.Counter()
        for label, start, end, name in self.blocks:
            times[label, name] += 1
            total[label, name] += end - start
        for label, name in sorted(times):
            print("block", label, times[label, name], total[label, name], name)
        for name, values in self.counters.items():
            for time, value in values:
                print("counter", time, value, name)

    def print_flows(self):
        """Lines of waits: vcpu, from, to, pieces; waker, or CPU n; woken."""
        wakers = {}
        for events in self.flows.values():
            if events[0][2].startswith("wakes "):
                wakers[events[0][2][6:], events[1][0]] = events[0]
        for label, start, end, _, pieces in sorted(self.waits):
            time, row, _ = wakers.get((label, start), (0, "-", ""))
            print("wait", label, start, end, len(pieces), time,
                  row.replace(" interrupts", "").replace(" ", ""))


# Of one time, descriptors come first, and a cpu is left before it is taken; of
# columns, a switch to the idle task comes first.
def sort_key(p):
    time = one(p, "timestamp", 0)
    for bundle in p.get("ftrace_events", []):
        for event in bundle["event"]:
            time = one(event, "timestamp")
    running = any(one(m, "state") == RUNNING
                  for m in p.get("task_state", []))
    described = "track_descriptor" in p or "process_tree" in p
    if "switch" in p:
        running = p["switch"][3] != 0
    return time, not described, running


def main():
    x = Importer()
    with open(sys.argv[1], encoding="utf-8") as lines:
        x.import_all(parse_message(lines)["packet"])
    assert x.attributes["xen.tsc_hz"] > 0 and x.attributes["xen.trace"]
    if sys.argv[2:] == ["--addresses"]:
        print(*sorted(x.addresses), sep="\n")
    elif sys.argv[2:] == ["--blocks"]:
        x.print_blocks()
    elif sys.argv[2:] == ["--waits"]:
        x.print_flows()
    elif len(sys.argv) > 2:
        compare_files(x, sys.argv[2], sys.argv[3])
    print_totals(x)


main()
