# SPDX-License-Identifier: GPL-2.0-or-later
#
# query-perfetto.py LIBCHDB FILE SCHEMA JSON: ClickHouse, as the library LIBCHDB,
# reads a file for Perfetto by the schema; what its SQL finds out about runs,
# VM exits and losses has to equal JSON, the output of xenalyze --json.
import collections
import ctypes
import json
import sys

from report_rows import label_of, near

PACKETS = """
CREATE TABLE packets ENGINE = Memory AS
SELECT number, p.timestamp AS time, p.task_state AS task,
       p.track_event AS event, p.track_descriptor AS track,
       p.interned AS interned, p.ftrace_events AS ftrace,
       p.sequence AS sequence
FROM file('%s', 'ProtobufSingle')
ARRAY JOIN packet AS p, arrayEnumerate(packet) AS number
SETTINGS format_schema = '%s:Trace'"""

# A vcpu runs from a state 3 to its next state or wake-up.
RUNS = """
SELECT comm, sum(until - time), count() FROM (
    SELECT comm, time, state, leadInFrame(time, 1, time) OVER (
        PARTITION BY tid ORDER BY time
        ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS until
    FROM (
        SELECT task.tid AS tid, task.comm AS comm, task.state AS state, time
        FROM packets WHERE state > 0
        UNION ALL
        SELECT e.sched_waking.pid, e.sched_waking.comm, 0, e.timestamp
        FROM packets ARRAY JOIN ftrace.event AS e))
WHERE state = 3 GROUP BY comm"""

# The slices in the tracks of threads; they do not overlap.
EXITS = """
WITH names AS (
    SELECT n.iid AS iid, n.name AS name
    FROM packets ARRAY JOIN interned.event_name AS n WHERE sequence = 1),
threads AS (
    SELECT track.uuid AS uuid, track.thread.name AS label
    FROM packets WHERE track.thread.tid > 0)
SELECT label, name, count(), sum(until - time) FROM (
    SELECT event.track AS uuid, event.type AS type, event.name_iid AS iid,
           time, leadInFrame(time, 1, time) OVER (
               PARTITION BY event.track ORDER BY time, number
               ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS until
    FROM packets WHERE event.type IN (1, 2)) AS slices
JOIN threads USING uuid JOIN names USING iid
WHERE type = 1 GROUP BY label, name"""

LOST = """
WITH names AS (
    SELECT n.iid AS iid, n.name AS name
    FROM packets ARRAY JOIN interned.annotation_name AS n WHERE sequence = 1)
SELECT sum(a.uint) FROM packets ARRAY JOIN event.annotation AS a
JOIN names ON names.iid = a.name_iid
WHERE names.name = 'records'"""


class Engine:
    def __init__(self, path):
        self.lib = lib = ctypes.CDLL(path)
        lib.chdb_connect.restype = ctypes.POINTER(ctypes.c_void_p)
        lib.chdb_query.restype = ctypes.c_void_p
        lib.chdb_query.argtypes = [ctypes.c_void_p, ctypes.c_char_p,
                                   ctypes.c_char_p]
        for name, kind in (("error", ctypes.c_char_p),
                           ("buffer", ctypes.c_void_p),
                           ("length", ctypes.c_size_t)):
            function = getattr(lib, "chdb_result_" + name)
            function.restype, function.argtypes = kind, [ctypes.c_void_p]
        self.connection = lib.chdb_connect(1, (ctypes.c_char_p * 1)(b"chdb"))

    def query(self, sql):
        """The rows of the result, lists of texts."""
        result = self.lib.chdb_query(self.connection[0], sql.encode(),
                                     b"TSVRaw")
        error = self.lib.chdb_result_error(result)
        assert not error, error.decode()
        text = ctypes.string_at(self.lib.chdb_result_buffer(result),
                                self.lib.chdb_result_length(result))
        return [line.split("\t") for line in text.decode().splitlines()]


def check_runs(rows, tables):
    running = {label: (int(ns), int(runs)) for label, ns, runs in rows}
    seen = 0
    for row in tables["vcpu_states"]:
        if row["state"] == "running" and label_of(row) in running:
            ns, runs = running[label_of(row)]
            near("running time of " + label_of(row), ns,
                 row["total_ns"] + row["open_ns"], 2 * runs + 2)
            seen += 1
    assert seen == len(running) > 0, (seen, running)
    return seen


def check_exits(rows, tables):
    exits = {(label, name): (int(times), int(ns))
             for label, name, times, ns in rows}
    for row in tables["exits"]:
        key = label_of(row), row["reason"]
        times, ns = exits.pop(key)
        assert times == row["events"], (key, times, row)
        near("time of %s of %s" % key, ns, row["total_ns"], times + 1)
    assert not exits, exits
    return len(tables["exits"])


def main():
    library, file, schema, report = sys.argv[1:]
    with open(report, encoding="utf-8") as f:
        report = json.load(f)
    engine = Engine(library)
    engine.query(PACKETS % (file, schema))
    vcpus = check_runs(engine.query(RUNS), report["tables"])
    reasons = check_exits(engine.query(EXITS), report["tables"])
    [[lost]] = engine.query(LOST)
    assert int(lost) == report["trace"]["lost_records"], lost
    print("ClickHouse %s: %d vcpus, %d reasons of exits, %s records lost" % (
        engine.query("SELECT version()")[0][0], vcpus, reasons, lost))


main()
