# SPDX-License-Identifier: GPL-2.0-or-later
#
# read-html.py FILE [JSON]: the rules of the page in HTML (nothing but its own
# script and style may run, tracks are in order, coarser levels keep all time),
# and our numbers, which have to equal those of JSON, the output of xenalyze
# --json.
import base64
import collections
import hashlib
import html.parser
import json
import re
import sys

from report_rows import label_of, near

STATE_MASK = 7
RUNNING = 1


class Page(html.parser.HTMLParser):
    """Texts of scripts and styles, and all tags."""

    def __init__(self):
        super().__init__()
        self.tags, self.texts, self.current = [], {}, None

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.tags.append((tag, attrs))
        if tag in ("script", "style"):
            self.current = attrs.get("id", tag)
            assert self.current not in self.texts, self.current
            self.texts[self.current] = ""

    def handle_endtag(self, tag):
        if tag in ("script", "style"):
            self.current = None

    def handle_data(self, data):
        if self.current:
            self.texts[self.current] += data


def source_of(text):
    digest = hashlib.sha256(text.encode()).digest()
    return "'sha256-%s'" % base64.b64encode(digest).decode()


def check_policy(page):
    policy = [a["content"] for tag, a in page.tags
              if a.get("http-equiv") == "Content-Security-Policy"]
    assert len(policy) == 1
    rules = dict(rule.strip().split(" ", 1) for rule in policy[0].split(";"))
    assert rules == {
        "default-src": "'none'", "base-uri": "'none'", "form-action": "'none'",
        "script-src": source_of(page.texts["script"]),
        "style-src": source_of(page.texts["style"])}, rules
    # The policy is there before anything that it is to stop.
    names = [tag for tag, _ in page.tags]
    assert names.index("meta") < names.index("style") < names.index("script")
    assert sorted(page.texts) == ["facts", "script", "style", "tracks"]
    for tag, attrs in page.tags:
        assert tag not in ("link", "img", "iframe", "object", "base", "form")
        for name in attrs:
            assert name not in ("src", "href", "style", "action"), name
            assert not name.startswith("on"), name
    for name in "script", "style":
        assert not re.search(r"url\(|@import|https?:|\beval\b|innerHTML|"
                             r"insertAdjacent|document\.write|fetch\(|XMLHttp",
                             page.texts[name]), name


# --- tracks ------------------------------------------------------------------

def read_number(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            return value, at


def read_level(data, at, size, nr):
    """A list of (from, to, count, {key: ns})."""
    slices, time, end = [], 0, at + size
    for _ in range(nr):
        gap, at = read_number(data, at)
        length, at = read_number(data, at)
        start = time + (gap >> 1)
        time = start + length
        if gap & 1:
            count, at = read_number(data, at)
            keys, at = read_number(data, at)
            shares = {}
            for _ in range(keys):
                key, at = read_number(data, at)
                ns, at = read_number(data, at)
                assert key not in shares
                shares[key] = ns
            assert 1 <= keys <= 8 and count >= 1
            assert sum(shares.values()) <= length
        else:
            key, at = read_number(data, at)
            count, shares = 1, {key: length}
        slices.append((start, time, count, shares))
    assert at == end, "a track has other bytes than slices"
    return slices


def sum_keys(slices, mask):
    sums = collections.Counter()
    for _, _, _, shares in slices:
        for key, ns in shares.items():
            sums[key & mask] += ns
    return +sums


def read_track(data, levels, facts, mask):
    """The finest level; all others have the same times and counts."""
    finest, used = [], 0
    for i, (quantum, offset, size, nr) in enumerate(levels):
        slices = read_level(data, offset, size, nr)
        used += size
        if not i:
            finest = slices
            assert all(facts["from"] <= s[0] <= s[1] <= facts["to"]
                       for s in slices)
            continue
        assert quantum > levels[i - 1][0] and 3 * size <= levels[i - 1][2]
        assert sum(s[2] for s in slices) == sum(s[2] for s in finest)
        sums = sum_keys(slices, mask)
        assert sum(sums.values()) == sum(sum_keys(finest, mask).values())
        if not sums[0]:
            assert sums == sum_keys(finest, mask)
        long = [s for s in finest if s[1] - s[0] >= 2 * quantum]
        assert set(s[:2] for s in long) <= set(s[:2] for s in slices)
    return finest, used


def read_tracks(facts, data):
    x = {"state": {}, "exits": {}, "run": {}, "events": {}, "args": {}, "lost": 0,
         "levels": 0}
    used = 0
    for _, _, label, _, state, exits, host in facts["vcpus"]:
        assert host < len(facts["hosts"])
        x["state"][label], n = read_track(data, state, facts, STATE_MASK)
        x["exits"][label], m = read_track(data, exits, facts, -1)
        x["levels"] = max(x["levels"], len(state), len(exits))
        used += n + m
    for pcpu, run, loss in facts["pcpus"]:
        x["run"][pcpu], n = read_track(data, run, facts, -1)
        losses, m = read_track(data, loss, facts, -1)
        x["lost"] += sum(s[2] for s in losses)
        used += n + m
    for _, label, events, *args in facts["threads"]:
        assert label not in x["events"], label
        x["events"][label], n = read_track(data, events, facts, -1)
        assert len(args) == facts["has_arguments"]
        x["args"][label] = args[0] if args else None
        if args:
            assert len(args[0]) == len(x["events"][label]), label
        used += n
    assert used == len(data), "bytes of no track"
    states = set(key & STATE_MASK for slices in x["state"].values()
                 for key in sum_keys(slices, STATE_MASK))
    assert facts["used_states"] == sum(1 << state for state in states)
    return x


# --- numbers -----------------------------------------------------------------

def compare_running(facts, x, tables):
    times = {label: sum_keys(slices, STATE_MASK)[RUNNING]
             for label, slices in x["state"].items()}
    total = 0
    for row in tables["vcpu_states"]:
        label = label_of(row)
        if row["state"] == "running" and times.get(label):
            near("running time of " + label, times[label],
                 row["total_ns"] + row["open_ns"],
                 2 * sum(s[2] for s in x["state"][label]) + 2)
            total += times[label]
    by_pcpu = sum(sum(sum_keys(slices, -1).values())
                  for slices in x["run"].values())
    assert by_pcpu == sum(times.values()), (by_pcpu, sum(times.values()))
    assert total > 0
    by_vcpu = collections.Counter()
    for slices in x["run"].values():
        by_vcpu.update(sum_keys(slices, -1))
    if not by_vcpu[0]:
        for number, row in enumerate(facts["vcpus"]):
            assert by_vcpu[number + 1] == times[row[2]], row[2]


WAITING = 2


def count_wakers(facts, x):
    """Wake-ups by (waker, vcpu); all of single waits."""
    got = collections.Counter()
    for label, slices in x["state"].items():
        for key in (key for s in slices for key in s[3]):
            if key & STATE_MASK != WAITING or not key >> 3:
                continue
            number = (key >> 4) - 1
            assert key >> 3 & 1 or number < len(facts["vcpus"]), key
            waker = "idle" if key >> 3 & 1 else facts["vcpus"][number][2]
            got[waker, label] += 1
    return got


def compare_wakers(facts, x, tables):
    got, want = count_wakers(facts, x), collections.Counter()
    names = {"d%dv%d" % (r["domain"], r["vcpu"]): label_of(r)
             for r in tables["vcpus"]}
    for row in tables["wait_wakers"]:
        waker = names.get(row["waker"], row["waker"])
        want[waker, label_of(row)] += row["wakeups"]
    # A wait without time has no slice.
    for key in got:
        assert got[key] <= want[key], (key, got[key], want[key])
    if not facts["quantum"]:
        for key in want:
            if key[0] == "idle" or key[0] in names.values():
                assert got[key] >= 0.8 * want[key] - 2, \
                    (key, got[key], want[key])


def compare_exits(facts, x, tables):
    want, want_ns = collections.Counter(), collections.Counter()
    got, got_ns = collections.Counter(), collections.Counter()
    for row in tables["exits"]:
        want[label_of(row)] += row["events"]
        want_ns[label_of(row), row["reason"]] += row["total_ns"]
    for label, slices in x["exits"].items():
        if label not in want:
            continue
        got[label] = sum(s[2] for s in slices)
        for key, ns in sum_keys(slices, -1).items():
            got_ns[label, facts["names"][key].split(": ")[0]] += ns
    assert got == want, (got, want)
    for key, ns in got_ns.items():
        if not any(k[1] == "others" for k in got_ns):
            near("exits of %s %s" % key, ns, want_ns[key], want[key[0]] + 1)


def compare_tables(host, tables):
    wakes = {row[0]: row for row in host["wakes"]}
    for row in tables["waits"]:
        if row["reason"] == "wake" and label_of(row) in wakes:
            assert wakes[label_of(row)][1] == row["events"]
            assert wakes[label_of(row)][5] == row["max_ns"]
    assert wakes or not any(r["reason"] == "wake" for r in tables["waits"])
    assert [r[2] for r in host["waits"]] == \
        [r["length_ns"] for r in tables["longest_waits"]]
    pcpus = sum(r["idle_ns"] for r in tables["pcpus"]) \
        if "idle_ns" in tables["pcpus"][0] else None
    assert pcpus is None or pcpus == host["pcpu_times"][1]


# --- waits -------------------------------------------------------------------

MATRIX_ROWS = MATRIX_CELLS = 64
RIVAL = re.compile(r"d(\d+)(?:v\d+)?$")


def read_matrix(tables):
    """{domain: {use of the pcpu: ns}}"""
    uses = collections.defaultdict(dict)
    for row in tables["why_domain_waits"]:
        uses[row["domain"]][row["pcpu_use"]] = row["waited_ns"]
    return uses


def compare_row(row, want):
    domain, _, waited, cells, others, causes = row
    near("waits of d%d" % domain, waited, sum(want.values()), len(want))
    assert cells and len(cells) <= MATRIX_CELLS or not any(
        RIVAL.match(use) for use in want)
    assert [ns for _, ns in cells] == sorted((ns for _, ns in cells),
                                             reverse=True)
    got = {"d%d" % rival: ns for rival, ns in cells}
    got.update(causes)
    assert len(got) == len(cells) + len(causes)
    assert all(want[use] == ns for use, ns in got.items())
    near("others of d%d" % domain, others, sum(
        ns for use, ns in want.items() if use not in got), len(want))


def compare_matrix(host, tables):
    want = read_matrix(tables)
    rows = host["matrix"]
    assert len(rows) + host["matrix_hidden"] == len(want)
    assert len(rows) == min(MATRIX_ROWS, len(want))
    shown = [row[0] for row in rows]
    assert [row[2] for row in rows] == sorted((row[2] for row in rows),
                                              reverse=True)
    for row in rows:
        compare_row(row, want[row[0]])
    least = rows[-1][2] if rows else 0
    for domain, uses in want.items():
        assert domain in shown or sum(uses.values()) <= least + len(uses)


def compare_pieces(host, tables):
    names = {(r["domain"], r["vcpu"]): label_of(r) for r in tables["vcpus"]}
    want = collections.defaultdict(list)
    for r in tables["why_pieces"]:
        want[label_of(r), r["wait_ns"]].append(r)
    assert len(host["pieces"]) == len(want)
    for label, at, length, pcpu, pieces, shorter, nr in host["pieces"]:
        rows = want[label, at]
        if rows[-1]["pcpu_use"] == "shorter":
            assert nr and shorter == rows.pop()["waited_ns"]
        else:
            assert not nr and not shorter
        got = []
        for rival, cause, start, ns, limited, placed in pieces:
            assert rival is None or cause == "rival"
            got.append((rival or cause, start, ns, limited, placed))
        assert got == [(names[int(r["pcpu_use"][1:].split("v")[0]),
                              int(r["pcpu_use"].split("v")[1])]
                        if re.match(r"d\d+v\d+$", r["pcpu_use"])
                        else r["pcpu_use"], r["from_ns"], r["waited_ns"],
                        r["ratelimit_ns"], r["placement_ns"]) for r in rows]
        near("pieces", sum(piece[2] for piece in got) + shorter, length,
             len(got) + 2)


def check_hosts(facts):
    """Labels of rows begin with their host; CPUs follow each other."""
    hosts = facts["hosts"]
    assert len(hosts) == 1 or all(host["label"] for host in hosts)
    assert len(set(host["label"] for host in hosts)) == len(hosts)
    firsts = [host["first_pcpu"] for host in hosts]
    assert firsts == sorted(firsts) and not firsts[0]
    for _, _, label, domain, _, _, host in facts["vcpus"]:
        if len(hosts) > 1:
            prefix = hosts[host]["label"] + ":"
            assert label.startswith(prefix) and domain.startswith(prefix)


def read_page(path):
    """The facts, and the tracks by row."""
    with open(path, encoding="utf-8") as f:
        text = f.read()
    assert len(text.encode()) <= 20000000
    page = Page()
    page.feed(text)
    page.close()
    check_policy(page)
    facts = json.loads(page.texts["facts"])
    check_hosts(facts)
    return facts, read_tracks(facts, base64.b64decode(page.texts["tracks"]))


def main():
    facts, x = read_page(sys.argv[1])
    host = facts["hosts"][0]
    if len(sys.argv) > 2:
        with open(sys.argv[2], encoding="utf-8") as f:
            report = json.load(f)
        compare_running(facts, x, report["tables"])
        compare_exits(facts, x, report["tables"])
        compare_wakers(facts, x, report["tables"])
        compare_tables(host, report["tables"])
        compare_matrix(host, report["tables"])
        compare_pieces(host, report["tables"])
        assert x["lost"] == report["trace"]["lost_records"] == \
            host["lost"][0]
        assert host["records"] == report["trace"]["records"]
    print("vcpus", *sorted(label for label in x["state"]
                           if x["state"][label] or x["exits"][label]))
    print("wake-ups %d" % sum(count_wakers(facts, x).values()))
    print("matrix %d, hidden %d, pieces %d" % (
        len(host["matrix"]), host["matrix_hidden"],
        sum(len(wait[4]) for wait in host["pieces"])))
    print("exits %d, lost %d, levels %d, condensed %d %d, verdict %d" % (
        sum(s[2] for slices in x["exits"].values() for s in slices), x["lost"],
        x["levels"], facts["quantum"], facts["exit_quantum"],
        len(host["verdict"])))
    for label, slices in x["events"].items():
        print("thread %s, events %d" % (label, sum(s[2] for s in slices)))
        args = x["args"][label]
        for i, (start, _, count, shares) in enumerate(slices):
            if count == 1:
                print("event", start, label, *(facts["event_names"][key]
                                               for key in shares),
                      *([args[i]] if args and args[i] else []))


if __name__ == "__main__":
    main()
