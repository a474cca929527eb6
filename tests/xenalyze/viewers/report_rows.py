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
