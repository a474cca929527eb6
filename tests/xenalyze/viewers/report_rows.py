# SPDX-License-Identifier: GPL-2.0-or-later
#
# Rows of xenalyze --json, for the readers of files for viewers.


def label_of(row):
    """The name of a row's vcpu in viewers."""
    name = row.get("domain_name")
    return "%s/%d" % (name, row["vcpu"]) if name else \
        "d%dv%d" % (row["domain"], row["vcpu"])


def near(what, got, want, slack):
    assert abs(got - want) <= slack, "%s: %d, not %d" % (what, got, want)


def check_path(path, parts, tables):
    """The slices of a critical path, by name, have the times of its rows."""
    if "critical_path" not in tables:
        assert not path
        return
    [of] = tables["critical_path_of"]
    near("length of the path", sum(path.values()), of["span_ns"], parts + 1)
    runs = [r for r in tables["critical_path"] if r["state"] == "runs"]
    assert runs and parts <= sum(r["events"] for r in tables["critical_path"])
    for row in runs:
        near("path of " + label_of(row), path[label_of(row) + " runs"],
             row["total_ns"], row["events"] + 1)
