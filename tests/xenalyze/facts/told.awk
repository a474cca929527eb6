# SPDX-License-Identifier: GPL-2.0-or-later
#
# The ground truth in the form of the program `facts` (field.awk finds a line's
# members).
{ who = "d" field("dom") "v" field("vcpu"); what = field("what") }
what == "runstate" {
    on = field("state") == "running" ? field("cpu") : -1
    print "runstate", who, field("state"), field("from"), field("to"), on
}
what == "still" { print "still", who, field("state"), field("from") }
what == "exit" || what == "outside" {
    # An exit without an entry lasts beyond the end of the trace.
    print "exit", who, field("at"), field("reason"), \
          what == "exit" ? field("cycles") : "999999999999999", field("cpu")
}
what == "wake" && field("latency") != "" {
    print "wake", who, field("at"), field("latency"), field("on"), \
          field("cpu"), field("waker_dom") == "" ? "-" : \
          "d" field("waker_dom") "v" field("waker_vcpu")
}
what == "migration" { print "migration", who, field("at"), field("from"), field("to") }
