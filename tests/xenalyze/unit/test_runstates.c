/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runstates: records of several pcpus in, facts about vcpus, domains and pcpus
 * out.  Each row is a script (script.h) and the expected facts.
 */
#include <stdio.h>
#include <string.h>

#include "tests/xenalyze/unit/script.h"

static const struct script_row states_follow_each_other_rows[] = {
    { "one vcpu on one pcpu, then idle", "runstate,residency,pcpu,anomaly",
      "100 p0 runnable>running d1v0\n"
      "150 p0 running>blocked d1v0\n"
      "150 p0 runnable>running d32767v0\n"
      "170 p0 blocked>runnable d1v0\n"
      "180 p0 running>runnable d32767v0\n"
      "180 p0 runnable>running d1v0\n"
      "200 p0 running>runnable d1v0\n",
      "p0 100..100 unknown (unseen)\n"
      "d1v0 100..100 runnable - -> running by p0 (unseen)\n"
      "p0 100..150 running d1v0\n"
      "d1v0 100..150 running p0 -> blocked by p0\n"
      "p0 150..150 unknown\n"
      "idle0 100..150 runnable - -> running by p0 (unseen)\n"
      "d1v0 150..170 blocked p0 -> runnable wake by p0\n"
      "p0 150..180 idle idle0\n"
      "idle0 150..180 running p0 -> runnable preempt by p0\n"
      "p0 180..180 unknown\n"
      "d1v0 170..180 runnable p0 wake -> running by p0\n"
      "p0 180..200 running d1v0\n"
      "d1v0 180..200 running p0 -> runnable preempt by p0\n"
      "p0 200..200 unknown\n"
      "d1v0 200..200 runnable p0 preempt end\n"
      "d1v0 on p0 100..200 next -\n"
      "idle0 180..200 runnable p0 preempt end\n"
      "idle0 on p0 150..200 next -\n" },
    { "all states that a record can name", "runstate,anomaly",
      "100 p0 runnable>running d1v0\n"
      "110 p0 running>offline d1v0\n"
      "120 p0 offline>blocked d1v0\n"
      "130 p0 blocked>offline d1v0\n"
      "140 p0 offline>runnable d1v0\n"
      "150 p0 runnable>blocked d1v0\n"
      "160 p0 blocked>running d1v0\n"
      "170 p0 running>running d1v0\n"
      "180 p0 running>runnable d1v0\n",
      "d1v0 100..100 runnable - -> running by p0 (unseen)\n"
      "d1v0 100..110 running p0 -> offline by p0\n"
      "d1v0 110..120 offline p0 -> blocked by p0\n"
      "d1v0 120..130 blocked p0 -> offline by p0\n"
      "d1v0 130..140 offline p0 -> runnable wake by p0\n"
      "d1v0 140..150 runnable p0 wake -> blocked by p0\n"
      "d1v0 150..160 blocked p0 -> running by p0\n"
      "d1v0 160..180 running p0 -> runnable preempt by p0\n"
      "d1v0 180..180 runnable p0 preempt end\n"
      "3 runstate changes that Xen does not make\n" },
    { "parked without budget, and unparked", "runstate,anomaly",
      "100 p0 runnable>running d1v0\n"
      "110 p0 running>offline d1v0\n"
      "120 p1 offline>running d1v0\n"
      "130 p1 running>blocked d1v0\n",
      "d1v0 100..100 runnable - -> running by p0 (unseen)\n"
      "d1v0 100..110 running p0 -> offline by p0\n"
      "d1v0 110..120 offline p0 -> running by p1\n"
      "d1v0 120..130 running p1 -> blocked by p1\n"
      "d1v0 130..130 blocked p1 end\n" },
    { "no change of state", "anomaly",
      "100 p0 runnable>runnable d1v0\n"
      "110 p0 offline>offline d1v1\n"
      "120 p0 blocked>blocked d1v2\n",
      "3 runstate changes that Xen does not make\n" },
    { "two records of the same time", "runstate",
      "100 p0 runnable>running d1v0\n"
      "100 p0 running>blocked d1v0\n"
      "100 p0 blocked>runnable d1v0\n",
      "d1v0 100..100 runnable - -> running by p0 (unseen)\n"
      "d1v0 100..100 running p0 -> blocked by p0\n"
      "d1v0 100..100 blocked p0 -> runnable wake by p0\n"
      "d1v0 100..100 runnable p0 wake end\n" },
    { "states that Xen does not have are events", "runstate,event,anomaly",
      "100 p0 runnable>running d1v0\n"
      "110 p0 running>4 d1v0\n"
      "120 p0 f>running d1v0\n"
      "130 p0 0x21012 d1v0\n"
      "140 p0 running>blocked\n",
      "d1v0 100..100 runnable - -> running by p0 (unseen)\n"
      "d1v0 p0 110 event 0x21041, 1 words\n"
      "d1v0 p0 120 event 0x21f01, 1 words\n"
      "d1v0 p0 130 event 0x21012, 1 words\n"
      "d1v0 100..140 running p0 -> no data by p0\n"
      "d1v0 140..140 no data p0 end\n"
      "2 runstate changes that Xen does not make\n"
      "1 records that are too short\n" },
    { "a trace without time stamps", "runstate,pcpu,volume",
      "- p0 runnable>running d1v0\n"
      "- p0 running>blocked d1v0\n",
      "p0 0..0 unknown (unseen)\n"
      "d1v0 0..0 runnable - -> running by p0 (unseen)\n"
      "p0 0..0 running d1v0\n"
      "d1v0 0..0 running p0 -> blocked by p0\n"
      "p0 0..0 unknown\n"
      "p0 0..0: 2 records, 0 lost, 0 open, sched 2/16\n"
      "d1v0 0..0 blocked p0 end\n" },
    { "two pcpus, two vcpus of one domain", "runstate,residency",
      "100 p0 runnable>running d1v0\n"
      "105 p1 runnable>running d1v1\n"
      "120 p1 running>runnable d1v1\n"
      "130 p0 running>blocked d1v0\n"
      "140 p0 runnable>running d1v1\n"
      "150 p1 blocked>runnable d1v0\n"
      "160 p1 runnable>running d1v0\n",
      "d1v0 100..100 runnable - -> running by p0 (unseen)\n"
      "d1v1 100..105 runnable - -> running by p1 (unseen)\n"
      "d1v1 105..120 running p1 -> runnable preempt by p1\n"
      "d1v0 100..130 running p0 -> blocked by p0\n"
      "d1v1 120..140 runnable p1 preempt -> running by p0\n"
      "d1v1 on p1 105..140 next p0\n"
      "d1v0 130..150 blocked p0 -> runnable wake by p1\n"
      "d1v0 150..160 runnable p0 wake -> running by p1\n"
      "d1v0 on p0 100..160 next p1\n"
      "d1v1 140..140 running p0 -> no data by p0\n"
      "d1v0 160..160 running p1 -> no data by p1\n"
      "d1v0 160..160 no data p1 end\n"
      "d1v0 on p1 160..160 next -\n"
      "d1v1 140..160 no data p0 end\n"
      "d1v1 on p0 140..160 next -\n" },
};

SCRIPT_TEST(states_follow_each_other)

static const struct script_row before_the_first_run_rows[] = {
    { "woken before the first run", "runstate,domain,wait",
      "100 p0 blocked>runnable d1v0\n"
      "120 p0 runnable>running d1v0\n"
      "130 p0 running>blocked d1v0\n",
      "d1v0 100..100 blocked - -> runnable wake by p0 (unseen)\n"
      "d1v0 waits 100..120 p0, - before: wake by ? on p0 at 100; unknown 20\n"
      "d1v0 100..120 runnable - wake -> running by p0 (unseen)\n"
      "d1v0 120..130 running p0 -> blocked by p0\n"
      "d1 120..130 full run 1/0/0 of 1\n"
      "d1v0 130..130 blocked p0 end\n"
      "d1 130..130 blocked 0/0/1 of 1 end\n" },
    { "running since the beginning", "runstate,domain,pcpu",
      "100 p0 0x22002 1\n"
      "140 p0 running>blocked d1v0\n"
      "150 p0 runnable>running d1v0\n",
      "p0 100..140 running d1v0 (unseen)\n"
      "d1v0 100..140 running p0 -> blocked by p0 (unseen)\n"
      "p0 140..150 unknown\n"
      "d1v0 140..150 blocked p0 -> running by p0 (unseen)\n"
      "p0 150..150 running d1v0\n"
      "d1v0 150..150 running p0 -> no data by p0\n"
      "d1 150..150 full run 1/0/0 of 1\n"
      "d1v0 150..150 no data p0 end\n"
      "d1 150..150 no data 0/0/0 of 1, some ended end\n" },
    { "continues to run since the beginning", "runstate,domain,pcpu",
      "90 p1 runnable>running d2v0\n"
      "100 p0 0x22002 1\n"
      "140 p0 sched_continue_running d1v0\n"
      "150 p0 running>blocked d1v0\n",
      "p1 90..90 unknown (unseen)\n"
      "d2v0 90..90 runnable - -> running by p1 (unseen)\n"
      "d1v0 90..100 running p0 -> running by p0 (unseen)\n"
      "p0 100..150 running d1v0\n"
      "d1v0 100..150 running p0 -> blocked by p0\n"
      "d1 100..150 full run 1/0/0 of 1\n"
      "p0 150..150 unknown\n"
      "p1 90..90 running d2v0\n"
      "d2v0 90..90 running p1 -> no data by p1\n"
      "d2 90..90 full run 1/0/0 of 1\n"
      "d1v0 150..150 blocked p0 end\n"
      "d1 150..150 blocked 0/0/1 of 1 end\n"
      "d2v0 90..150 no data p1 end\n"
      "d2 90..150 no data 0/0/0 of 1, some ended end\n" },
    { "never runs", "runstate,domain",
      "100 p0 runnable>running d1v0\n"
      "120 p0 blocked>runnable d1v1\n"
      "130 p0 runnable>blocked d1v1\n",
      "d1v0 100..100 runnable - -> running by p0 (unseen)\n"
      "d1v1 100..120 blocked - -> runnable wake by p0 (unseen)\n"
      "d1v1 120..130 runnable - wake -> blocked by p0 (unseen)\n"
      "d1v0 100..130 running p0 -> no data by p0\n"
      "d1 100..130 full run 1/0/0 of 1\n"
      "d1v0 130..130 no data p0 end\n"
      "d1v1 130..130 blocked - end (unseen)\n"
      "d1 130..130 no data 0/0/0 of 1, some ended end\n" },
    { "first record long after a loss", "runstate,domain,loss",
      "100 p0 runnable>running d1v0\n"
      "110 p0 loss\n"
      "150 p0 lost_records 7 v0@1 110 0\n"
      "170 p0 blocked>runnable d1v1\n"
      "180 p0 running>runnable d1v0\n"
      "180 p0 runnable>running d1v1\n",
      "d1v0 100..100 runnable - -> running by p0 (unseen)\n"
      "d1v0 100..110 running p0 -> lost by p0\n"
      "d1 100..110 full run 1/0/0 of 1\n"
      "p0 lost 110..150: 7, then d1v0\n"
      "d1v0 110..150 lost p0 -> running by p0\n"
      "d1 110..150 lost 0/0/0 of 1\n"
      "d1v1 100..150 lost - -> blocked by p0 (unseen)\n"
      "d1v1 150..170 blocked - -> runnable wake by p0 (unseen)\n"
      "d1v0 150..180 running p0 -> runnable preempt by p0\n"
      "d1 150..180 full run 1/0/0 of 1\n"
      "d1v1 170..180 runnable - wake -> running by p0 (unseen)\n"
      "d1 180..180 full_contention 0/1/0 of 1\n"
      "d1v1 180..180 running p0 -> no data by p0\n"
      "d1 180..180 concurrency_hazard 1/1/0 of 2\n"
      "d1v0 180..180 runnable p0 preempt end\n"
      "d1v1 180..180 no data p0 end\n"
      "d1 180..180 full_contention 0/1/0 of 2, some ended end\n" },
    { "first record while another pcpu loses records", "runstate,domain",
      "100 p0 runnable>running d1v0\n"
      "100 p1 runnable>running d1v1\n"
      "110 p0 loss\n"
      "120 p1 running>blocked d1v1\n"
      "120 p1 runnable>running d2v0\n"
      "150 p0 lost_records 7 v0@1 110 0\n"
      "160 p1 running>blocked d2v0\n",
      "d1v0 100..100 runnable - -> running by p0 (unseen)\n"
      "d1v1 100..100 runnable - -> running by p1 (unseen)\n"
      "d1 100..100 full run 1/0/0 of 1\n"
      "d1v0 100..110 running p0 -> lost by p0\n"
      "d1 100..110 full run 2/0/0 of 2\n"
      "d1v1 100..120 running p1 -> lost by p1\n"
      "d1 110..120 full run 1/0/0 of 2\n"
      "d2v0 100..120 lost - -> running by p1 (unseen)\n"
      "d1v0 110..150 lost p0 -> running by p0\n"
      "d1 120..150 lost 0/0/0 of 2\n"
      "d2v0 120..160 running p1 -> blocked by p1\n"
      "d2 120..160 full run 1/0/0 of 1\n"
      "d1v0 150..150 running p0 -> no data by p0\n"
      "d1 150..150 full run 1/0/0 of 2\n"
      "d1v0 150..160 no data p0 end\n"
      "d1v1 120..160 lost p1 end\n"
      "d1 150..160 lost 0/0/0 of 2, some ended end\n"
      "d2v0 160..160 blocked p1 end\n"
      "d2 160..160 blocked 0/0/1 of 1 end\n" },
};

SCRIPT_TEST(before_the_first_run)

static const struct script_row domains_sum_up_their_vcpus_rows[] = {
    { "each state of a domain", "domain",
      "100 p0 runnable>running d1v0\n"
      "100 p1 runnable>running d1v1\n"
      "110 p1 running>runnable d1v1\n"
      "120 p0 running>blocked d1v0\n"
      "130 p0 blocked>runnable d1v0\n"
      "140 p0 runnable>running d1v0\n"
      "150 p1 runnable>running d1v1\n"
      "160 p1 running>blocked d1v1\n"
      "170 p0 running>blocked d1v0\n"
      "180 p0 blocked>offline d1v0\n",
      "d1 100..100 full run 1/0/0 of 1\n"
      "d1 100..110 full run 2/0/0 of 2\n"
      "d1 110..120 concurrency_hazard 1/1/0 of 2\n"
      "d1 120..130 partial contention 0/1/1 of 2\n"
      "d1 130..140 full_contention 0/2/0 of 2\n"
      "d1 140..150 concurrency_hazard 1/1/0 of 2\n"
      "d1 150..160 full run 2/0/0 of 2\n"
      "d1 160..170 partial run 1/0/1 of 2\n"
      "d1 170..180 blocked 0/0/2 of 2\n"
      "d1 180..180 blocked 0/0/2 of 2 end\n" },
    { "two domains are independent", "domain",
      "100 p0 runnable>running d1v0\n"
      "110 p1 runnable>running d2v0\n"
      "120 p0 running>blocked d1v0\n"
      "130 p1 running>runnable d2v0\n",
      "d1 100..120 full run 1/0/0 of 1\n"
      "d2 110..130 full run 1/0/0 of 1\n"
      "d1 120..130 blocked 0/0/1 of 1 end\n"
      "d2 130..130 full_contention 0/1/0 of 1 end\n" },
    { "lost vcpus count only if all are lost", "domain",
      "100 p0 runnable>running d1v0\n"
      "100 p1 runnable>running d1v1\n"
      "110 p0 loss\n"
      "120 p1 loss\n"
      "130 p1 lost_records 1 v1@1 120 0\n"
      "140 p0 lost_records 1 v0@1 110 0\n"
      "150 p0 running>blocked d1v0\n",
      "d1 100..100 full run 1/0/0 of 1\n"
      "d1 100..110 full run 2/0/0 of 2\n"
      "d1 110..120 full run 1/0/0 of 2\n"
      "d1 120..130 lost 0/0/0 of 2\n"
      "d1 130..140 full run 1/0/0 of 2\n"
      "d1 140..150 full run 2/0/0 of 2\n"
      "d1 150..150 partial run 1/0/1 of 2\n"
      "d1 150..150 blocked 0/0/1 of 2, some ended end\n" },
    { "a vcpu that ran when the records ended", "domain",
      "100 p0 runnable>running d1v0\n"
      "100 p1 runnable>running d1v1\n"
      "110 p0 end\n"
      "120 p1 running>blocked d1v1\n"
      "130 p1 runnable>running d1v0\n",
      "d1 100..100 full run 1/0/0 of 1\n"
      "d1 100..100 full run 2/0/0 of 2\n"
      "d1 100..120 full run 1/0/0 of 2, some ended\n"
      "d1 120..130 blocked 0/0/1 of 2, some ended\n"
      "d1 130..130 partial run 1/0/1 of 2\n"
      "d1 130..130 blocked 0/0/1 of 2, some ended end\n" },
};

SCRIPT_TEST(domains_sum_up_their_vcpus)

static const struct script_row vcpus_migrate_rows[] = {
    { "to another pcpu and back", "residency",
      "100 p0 runnable>running d1v0\n"
      "110 p0 running>blocked d1v0\n"
      "120 p1 blocked>runnable d1v0\n"
      "130 p1 runnable>running d1v0\n"
      "140 p1 running>blocked d1v0\n"
      "150 p1 blocked>runnable d1v0\n"
      "160 p1 runnable>running d1v0\n"
      "170 p1 running>runnable d1v0\n"
      "180 p0 runnable>running d1v0\n",
      "d1v0 on p0 100..130 next p1\n"
      "d1v0 on p1 130..180 next p0\n"
      "d1v0 on p0 180..180 next -\n" },
    { "sched_continue_running does not migrate", "residency,anomaly",
      "100 p0 runnable>running d1v0\n"
      "120 p0 sched_continue_running d1v0\n"
      "130 p0 running>blocked d1v0\n",
      "d1v0 on p0 100..130 next -\n" },
};

SCRIPT_TEST(vcpus_migrate)

static const struct script_row mismatches_rows[] = {
    { "a runnable vcpu blocks: accepted", "runstate,anomaly",
      "100 p0 runnable>running d1v0\n"
      "110 p0 running>runnable d1v0\n"
      "120 p0 running>blocked d1v0\n"
      "130 p0 blocked>runnable d1v0\n",
      "d1v0 100..100 runnable - -> running by p0 (unseen)\n"
      "d1v0 100..110 running p0 -> runnable preempt by p0\n"
      "d1v0 110..120 no data p0 -> blocked by p0\n"
      "d1v0 120..130 blocked p0 -> runnable wake by p0\n"
      "d1v0 130..130 runnable p0 wake end\n"
      "1 runstate changes from another state than known\n"
      "1 vcpus that left a pcpu that another one ran on\n" },
    { "a running vcpu is woken: rejected", "runstate,anomaly",
      "100 p0 runnable>running d1v0\n"
      "110 p1 blocked>runnable d1v0\n"
      "120 p0 running>blocked d1v0\n",
      "d1v0 100..100 runnable - -> running by p0 (unseen)\n"
      "d1v0 100..120 running p0 -> blocked by p0\n"
      "d1v0 120..120 blocked p0 end\n"
      "1 runstate changes from another state than known\n" },
    { "swapped by the clocks of two pcpus", "runstate,anomaly",
      "100 p0 runnable>running d1v0\n"
      "110 p0 running>blocked d1v0\n"
      "120 p0 runnable>running d1v0\n"
      "121 p1 blocked>runnable d1v0\n"
      "130 p0 running>blocked d1v0\n",
      "d1v0 100..100 runnable - -> running by p0 (unseen)\n"
      "d1v0 100..110 running p0 -> blocked by p0\n"
      "d1v0 110..120 blocked p0 -> running by p0\n"
      "d1v0 120..130 running p0 -> blocked by p0\n"
      "d1v0 130..130 blocked p0 end\n"
      "1 runstate changes from another state than known\n"
      "1 runstate changes out of order between pcpus\n" },
    { "not swapped, since on one pcpu", "runstate,anomaly",
      "100 p0 runnable>running d1v0\n"
      "110 p0 running>blocked d1v0\n"
      "120 p0 runnable>running d1v0\n"
      "121 p0 blocked>runnable d1v0\n"
      "130 p0 running>blocked d1v0\n",
      "d1v0 100..100 runnable - -> running by p0 (unseen)\n"
      "d1v0 100..110 running p0 -> blocked by p0\n"
      "d1v0 110..120 blocked p0 -> running by p0\n"
      "d1v0 120..130 running p0 -> blocked by p0\n"
      "d1v0 130..130 blocked p0 end\n"
      "2 runstate changes from another state than known\n" },
    { "what swaps say about the clocks", "disorder",
      "100 p0 runnable>running d1v0\n"
      "110 p0 running>blocked d1v0\n"
      "120 p0 runnable>running d1v0\n"
      "121 p1 blocked>runnable d1v0\n"
      "130 p0 running>blocked d1v0\n"
      "140 p0 runnable>running d1v0\n"
      "145 p1 blocked>runnable d1v0\n"
      "150 p0 running>blocked d1v0\n"
      "160 p0 runnable>running d1v0\n"
      "168 p2 blocked>runnable d1v0\n",
      "p2 too late for p0: 8\n" },
    { "a wake-up in a run", "disorder,anomaly",
      "100 p0 runnable>running d1v0\n"
      "121 p1 blocked>runnable d1v0\n"
      "130 p0 running>blocked d1v0\n"
      "140 p0 running>blocked d1v0\n",
      "1 runstate changes from another state than known\n"
      "1 runstate changes out of order between pcpus\n"
      "1 vcpus that left a pcpu that another one ran on\n"
      "p0 too late for p1: 9\n" },
    { "a swap counts once", "runstate,anomaly",
      "100 p0 runnable>running d1v0\n"
      "110 p0 running>blocked d1v0\n"
      "120 p0 runnable>running d1v0\n"
      "121 p1 blocked>runnable d1v0\n"
      "122 p1 blocked>runnable d1v0\n"
      "130 p0 running>blocked d1v0\n",
      "d1v0 100..100 runnable - -> running by p0 (unseen)\n"
      "d1v0 100..110 running p0 -> blocked by p0\n"
      "d1v0 110..120 blocked p0 -> running by p0\n"
      "d1v0 120..130 running p0 -> blocked by p0\n"
      "d1v0 130..130 blocked p0 end\n"
      "2 runstate changes from another state than known\n"
      "1 runstate changes out of order between pcpus\n" },
    { "a late wake-up of a vcpu that has blocked again: dropped",
      "runstate,anomaly,disorder",
      "100 p0 runnable>running d1v0\n"
      "110 p0 running>blocked d1v0\n"
      "120 p0 runnable>running d1v0\n"
      "130 p0 running>blocked d1v0\n"
      "150 p1 blocked>runnable d1v0\n"
      "900 p0 runnable>running d1v0\n"
      "910 p0 running>blocked d1v0\n",
      "d1v0 100..100 runnable - -> running by p0 (unseen)\n"
      "d1v0 100..110 running p0 -> blocked by p0\n"
      "d1v0 110..120 blocked p0 -> running by p0\n"
      "d1v0 120..130 running p0 -> blocked by p0\n"
      "d1v0 130..900 blocked p0 -> running by p0\n"
      "d1v0 900..910 running p0 -> blocked by p0\n"
      "d1v0 910..910 blocked p0 end\n"
      "2 runstate changes from another state than known\n"
      "1 runstate changes out of order between pcpus\n"
      "p1 too late for p0: 30\n" },
    { "the wake-up of a later run was dropped: the next one is not",
      "runstate,anomaly",
      "100 p0 runnable>running d1v0\n"
      "110 p0 running>blocked d1v0\n"
      "120 p0 runnable>running d1v0\n"
      "130 p0 running>blocked d1v0\n"
      "880 p1 blocked>runnable d1v0\n"
      "900 p0 runnable>running d1v0\n"
      "910 p0 running>blocked d1v0\n"
      "980 p1 blocked>runnable d1v0\n",
      "d1v0 100..100 runnable - -> running by p0 (unseen)\n"
      "d1v0 100..110 running p0 -> blocked by p0\n"
      "d1v0 110..120 blocked p0 -> running by p0\n"
      "d1v0 120..130 running p0 -> blocked by p0\n"
      "d1v0 130..900 blocked p0 -> running by p0\n"
      "d1v0 900..910 running p0 -> blocked by p0\n"
      "d1v0 910..980 blocked p0 -> runnable wake by p1\n"
      "d1v0 980..980 runnable p0 wake end\n"
      "2 runstate changes from another state than known\n"
      "1 runstate changes out of order between pcpus\n" },
    { "the pcpu of the run wakes the vcpu: not late", "runstate,anomaly",
      "100 p0 runnable>running d1v0\n"
      "110 p0 running>blocked d1v0\n"
      "120 p0 runnable>running d1v0\n"
      "130 p0 running>blocked d1v0\n"
      "150 p0 blocked>runnable d1v0\n",
      "d1v0 100..100 runnable - -> running by p0 (unseen)\n"
      "d1v0 100..110 running p0 -> blocked by p0\n"
      "d1v0 110..120 blocked p0 -> running by p0\n"
      "d1v0 120..130 running p0 -> blocked by p0\n"
      "d1v0 130..150 blocked p0 -> runnable wake by p0\n"
      "d1v0 150..150 runnable p0 wake end\n"
      "1 runstate changes from another state than known\n" },
    { "woken before it blocks: the run expects no other wake-up",
      "runstate,anomaly",
      "100 p0 runnable>running d1v0\n"
      "110 p1 blocked>runnable d1v0\n"
      "120 p0 running>blocked d1v0\n"
      "130 p0 runnable>running d1v0\n"
      "140 p0 running>blocked d1v0\n"
      "150 p1 blocked>runnable d1v0\n",
      "d1v0 100..100 runnable - -> running by p0 (unseen)\n"
      "d1v0 100..120 running p0 -> blocked by p0\n"
      "d1v0 120..130 blocked p0 -> running by p0\n"
      "d1v0 130..140 running p0 -> blocked by p0\n"
      "d1v0 140..150 blocked p0 -> runnable wake by p1\n"
      "d1v0 150..150 runnable p0 wake end\n"
      "2 runstate changes from another state than known\n" },
    { "it leaves a pcpu after it arrives on another: no wait",
      "runstate,anomaly",
      "100 p0 runnable>running d1v0\n"
      "120 p1 runnable>running d1v0\n"
      "130 p0 running>runnable d1v0\n"
      "190 p1 running>blocked d1v0\n",
      "d1v0 100..100 runnable - -> running by p0 (unseen)\n"
      "d1v0 100..130 running p0 -> runnable preempt by p0\n"
      "d1v0 130..130 runnable p0 preempt -> running by p1\n"
      "d1v0 130..190 running p1 -> blocked by p1\n"
      "d1v0 190..190 blocked p1 end\n"
      "1 runstate changes from another state than known\n"
      "1 runstate changes out of order between pcpus\n" },
    { "a lost vcpu is known when it runs", "runstate,anomaly",
      "100 p0 runnable>running d1v0\n"
      "105 p0 running>blocked d1v0\n"
      "110 p1 loss\n"
      "120 p1 lost_records 3 v0@32767 110 0\n"
      "130 p1 blocked>runnable d1v0\n"
      "140 p1 runnable>running d1v0\n"
      "150 p1 running>blocked d1v0\n",
      "d1v0 100..100 runnable - -> running by p0 (unseen)\n"
      "d1v0 100..105 running p0 -> blocked by p0\n"
      "d1v0 105..110 blocked p0 -> lost by p1\n"
      "idle0 100..120 lost - -> running by p1 (unseen)\n"
      "idle0 120..120 running p1 -> running by p1 (unseen)\n"
      "d1v0 110..140 lost p0 -> running by p1\n"
      "idle0 120..140 no data p1 -> no data by p1\n"
      "d1v0 140..150 running p1 -> blocked by p1\n"
      "d1v0 150..150 blocked p1 end\n"
      "idle0 140..150 no data p1 end\n" },
    { "a second vcpu runs on the pcpu", "runstate,pcpu,anomaly",
      "100 p0 runnable>running d1v0\n"
      "110 p0 runnable>running d2v0\n"
      "120 p0 running>blocked d1v0\n"
      "130 p0 running>blocked d2v0\n",
      "p0 100..100 unknown (unseen)\n"
      "d1v0 100..100 runnable - -> running by p0 (unseen)\n"
      "p0 100..110 running d1v0\n"
      "d2v0 100..110 runnable - -> running by p0 (unseen)\n"
      "d1v0 100..110 running p0 -> no data by p0\n"
      "d1v0 110..120 running p0 -> blocked by p0\n"
      "p0 110..130 running d2v0\n"
      "d2v0 110..130 running p0 -> blocked by p0\n"
      "p0 130..130 unknown\n"
      "d1v0 120..130 blocked p0 end\n"
      "d2v0 130..130 blocked p0 end\n"
      "2 vcpus that left a pcpu that another one ran on\n" },
};

SCRIPT_TEST(mismatches)

static const struct script_row contradictions_rows[] = {
    { "a record of the leaving vcpu is damaged: another vcpu runs next",
      "runstate,pcpu,anomaly",
      "100 p0 runnable>running d1v0\n"
      "150 p0 running>blocked d1v64\n"
      "150 p0 runnable>running d32767v0\n"
      "170 p0 blocked>runnable d1v0\n"
      "180 p0 running>runnable d32767v0\n"
      "180 p0 runnable>running d1v0\n"
      "190 p0 running>blocked d1v0\n",
      "p0 100..100 unknown (unseen)\n"
      "d1v0 100..100 runnable - -> running by p0 (unseen)\n"
      "p0 100..150 running d1v0\n"
      "idle0 100..150 runnable - -> running by p0 (unseen)\n"
      "d1v0 100..150 running p0 -> no data by p0\n"
      "d1v0 150..170 blocked p0 -> runnable wake by p0\n"
      "p0 150..180 idle idle0\n"
      "idle0 150..180 running p0 -> runnable preempt by p0\n"
      "p0 180..180 unknown\n"
      "d1v0 170..180 runnable p0 wake -> running by p0\n"
      "p0 180..190 running d1v0\n"
      "d1v0 180..190 running p0 -> blocked by p0\n"
      "p0 190..190 unknown\n"
      "d1v0 190..190 blocked p0 end\n"
      "idle0 180..190 runnable p0 preempt end\n"
      "2 vcpus that left a pcpu that another one ran on\n" },
    { "the record names a vcpu that runs elsewhere",
      "runstate,anomaly",
      "100 p0 runnable>running d1v0\n"
      "100 p1 runnable>running d1v1\n"
      "150 p0 running>runnable d1v1\n"
      "150 p0 runnable>running d2v0\n"
      "170 p0 running>blocked d2v0\n"
      "170 p0 runnable>running d1v0\n"
      "190 p1 running>blocked d1v1\n",
      "d1v0 100..100 runnable - -> running by p0 (unseen)\n"
      "d1v1 100..100 runnable - -> running by p1 (unseen)\n"
      "d2v0 100..150 runnable - -> running by p0 (unseen)\n"
      "d1v0 100..150 running p0 -> no data by p0\n"
      "d2v0 150..170 running p0 -> blocked by p0\n"
      "d1v0 150..170 runnable p0 -> running by p0\n"
      "d1v1 100..190 running p1 -> blocked by p1\n"
      "d1v0 170..170 running p0 -> no data by p0\n"
      "d1v0 170..190 no data p0 end\n"
      "d1v1 190..190 blocked p1 end\n"
      "d2v0 170..190 blocked p0 end\n"
      "2 vcpus that left a pcpu that another one ran on\n" },
    { "a record of the arriving vcpu is damaged: a blocked vcpu runs",
      "runstate,anomaly",
      "100 p0 runnable>running d1v1\n"
      "110 p0 running>blocked d1v1\n"
      "110 p0 runnable>running d2v0\n"
      "120 p0 blocked>runnable d1v0\n"
      "130 p0 running>runnable d2v0\n"
      "130 p0 runnable>running d1v1\n"
      "150 p0 running>blocked d1v0\n"
      "150 p0 runnable>running d2v0\n"
      "160 p0 blocked>runnable d1v1\n",
      "d1v1 100..100 runnable - -> running by p0 (unseen)\n"
      "d1v1 100..110 running p0 -> blocked by p0\n"
      "d2v0 100..110 runnable - -> running by p0 (unseen)\n"
      "d1v0 100..120 blocked - -> runnable wake by p0 (unseen)\n"
      "d2v0 110..130 running p0 -> runnable preempt by p0\n"
      "d1v1 110..130 blocked p0 -> running by p0\n"
      "d1v1 130..150 no data p0 -> no data by p0\n"
      "d1v0 120..150 no data - -> no data by p0 (unseen)\n"
      "d1v0 150..150 no data - -> blocked by p0 (unseen)\n"
      "d2v0 130..150 runnable p0 preempt -> running by p0\n"
      "d1v1 150..160 blocked p0 -> runnable wake by p0\n"
      "d2v0 150..160 running p0 -> no data by p0\n"
      "d1v0 150..160 blocked - end (unseen)\n"
      "d1v1 160..160 runnable p0 wake end\n"
      "d2v0 160..160 no data p0 end\n"
      "1 runstate changes from another state than known\n"
      "1 vcpus that left a pcpu that another one ran on\n" },
    { "both vcpus were runnable: which one ran?",
      "runstate,anomaly",
      "100 p0 runnable>running d2v0\n"
      "110 p0 blocked>runnable d1v0\n"
      "110 p0 blocked>runnable d1v1\n"
      "130 p0 running>blocked d2v0\n"
      "130 p0 runnable>running d1v1\n"
      "150 p0 running>blocked d1v0\n"
      "150 p0 runnable>running d2v0\n"
      "160 p0 blocked>runnable d1v0\n"
      "170 p0 running>blocked d2v0\n"
      "170 p0 runnable>running d1v1\n",
      "d2v0 100..100 runnable - -> running by p0 (unseen)\n"
      "d1v0 100..110 blocked - -> runnable wake by p0 (unseen)\n"
      "d1v1 100..110 blocked - -> runnable wake by p0 (unseen)\n"
      "d2v0 100..130 running p0 -> blocked by p0\n"
      "d1v1 110..130 runnable - wake -> running by p0 (unseen)\n"
      "d1v1 130..150 no data p0 -> no data by p0\n"
      "d1v0 110..150 no data - -> no data by p0 (unseen)\n"
      "d2v0 130..150 blocked p0 -> running by p0\n"
      "d1v0 150..160 blocked - -> runnable wake by p0 (unseen)\n"
      "d2v0 150..170 running p0 -> blocked by p0\n"
      "d1v1 150..170 runnable p0 -> running by p0\n"
      "d1v1 170..170 running p0 -> no data by p0\n"
      "d1v0 160..170 runnable - wake end (unseen)\n"
      "d1v1 170..170 no data p0 end\n"
      "d2v0 170..170 blocked p0 end\n"
      "1 runstate changes from another state than known\n"
      "1 vcpus that left a pcpu that another one ran on\n" },
    { "the scheduler chose another vcpu than one without records",
      "runstate,anomaly",
      "100 p0 runnable>running d1v0\n"
      "110 p0 running>blocked d1v0\n"
      "110 p0 sched_switch 1 0 2 0\n"
      "110 p0 runnable>running d2v64\n"
      "150 p0 running>blocked d2v0\n"
      "150 p0 sched_switch 2 0 3 0\n"
      "150 p0 runnable>running d3v0\n",
      "d1v0 100..100 runnable - -> running by p0 (unseen)\n"
      "d1v0 100..110 running p0 -> blocked by p0\n"
      "d2v0 100..150 no data - -> blocked by p0 (unseen)\n"
      "d3v0 100..150 runnable - -> running by p0 (unseen)\n"
      "d3v0 150..150 running p0 -> no data by p0\n"
      "d1v0 110..150 blocked p0 end\n"
      "d2v0 150..150 blocked - end (unseen)\n"
      "d3v0 150..150 no data p0 end\n"
      "1 vcpus that left a pcpu that another one ran on\n" },
    { "another vcpu is woken than one without records",
      "runstate,anomaly",
      "100 p0 runnable>running d1v0\n"
      "110 p0 sched_wake 2 0\n"
      "110 p0 blocked>runnable d2v64\n"
      "130 p0 sched_wake 2 0\n"
      "130 p0 blocked>runnable d2v0\n",
      "d1v0 100..100 runnable - -> running by p0 (unseen)\n"
      "d2v0 100..130 blocked - -> runnable wake by p0 (unseen)\n"
      "d1v0 100..130 running p0 -> no data by p0\n"
      "d1v0 130..130 no data p0 end\n"
      "d2v0 130..130 runnable - wake end (unseen)\n" },
    { "vcpus that Xen does not have",
      "runstate,anomaly",
      "100 p0 runnable>running d1v0\n"
      "110 p0 blocked>runnable d1v8192\n"
      "120 p0 blocked>runnable d32752v0\n"
      "130 p0 blocked>runnable d32768v0\n"
      "140 p0 blocked>runnable d1v8191\n",
      "d1v0 100..100 runnable - -> running by p0 (unseen)\n"
      "d1v8191 100..140 blocked - -> runnable wake by p0 (unseen)\n"
      "d1v0 100..140 running p0 -> no data by p0\n"
      "d1v0 140..140 no data p0 end\n"
      "d1v8191 140..140 runnable - wake end (unseen)\n"
      "3 runstate changes that Xen does not make\n" },
    { "a wake-up is damaged: a blocked vcpu runs beside another one",
      "runstate,anomaly",
      "100 p0 runnable>running d1v1\n"
      "110 p0 running>blocked d1v1\n"
      "110 p0 runnable>running d1v0\n"
      "130 p0 blocked>running d1v1\n"
      "150 p0 running>blocked d1v0\n"
      "150 p0 runnable>running d1v1\n",
      "d1v1 100..100 runnable - -> running by p0 (unseen)\n"
      "d1v1 100..110 running p0 -> blocked by p0\n"
      "d1v0 100..110 runnable - -> running by p0 (unseen)\n"
      "d1v0 110..150 running p0 -> blocked by p0\n"
      "d1v1 110..150 blocked p0 -> running by p0\n"
      "d1v1 150..150 running p0 -> no data by p0\n"
      "d1v0 150..150 blocked p0 end\n"
      "d1v1 150..150 no data p0 end\n"
      "2 runstate changes from another state than known\n"
      "1 vcpus that left a pcpu that another one ran on\n" },
    { "a runnable vcpu that has blocked before it is woken",
      "runstate,anomaly",
      "100 p0 runnable>running d1v0\n"
      "110 p0 running>runnable d1v0\n"
      "110 p0 runnable>running d2v0\n"
      "150 p0 blocked>runnable d1v0\n",
      "d1v0 100..100 runnable - -> running by p0 (unseen)\n"
      "d1v0 100..110 running p0 -> runnable preempt by p0\n"
      "d2v0 100..110 runnable - -> running by p0 (unseen)\n"
      "d1v0 110..150 no data p0 -> runnable other by p0\n"
      "d2v0 110..150 running p0 -> no data by p0\n"
      "d1v0 150..150 runnable p0 other end\n"
      "d2v0 150..150 no data p0 end\n"
      "1 runstate changes from another state than known\n" },
    { "a vcpu without records leaves a pcpu that ran others",
      "runstate,anomaly",
      "100 p0 runnable>running d1v0\n"
      "110 p0 running>blocked d1v0\n"
      "150 p0 running>blocked d2v0\n"
      "170 p0 blocked>runnable d2v0\n",
      "d1v0 100..100 runnable - -> running by p0 (unseen)\n"
      "d1v0 100..110 running p0 -> blocked by p0\n"
      "d2v0 100..150 no data - -> blocked by p0 (unseen)\n"
      "d2v0 150..170 blocked - -> runnable wake by p0 (unseen)\n"
      "d1v0 110..170 blocked p0 end\n"
      "d2v0 170..170 runnable - wake end (unseen)\n"
      "1 vcpus that left a pcpu that another one ran on\n" },
    { "a pcpu writes the records of both vcpus of a core",
      "runstate,residency,anomaly",
      "100 p0 runnable>running d1v0\n"
      "101 p0 runnable>running d1v1\n"
      "150 p0 running>blocked d1v0\n"
      "151 p0 running>runnable d1v1\n",
      "d1v0 100..100 runnable - -> running by p0 (unseen)\n"
      "d1v1 100..101 runnable - -> running by p0 (unseen)\n"
      "d1v0 100..101 running p0 -> no data by p0\n"
      "d1v0 101..150 running p0 -> blocked by p0\n"
      "d1v1 101..151 running p0 -> runnable preempt by p0\n"
      "d1v0 150..151 blocked p0 end\n"
      "d1v0 on p0 100..151 next -\n"
      "d1v1 151..151 runnable p0 preempt end\n"
      "d1v1 on p0 101..151 next -\n"
      "2 vcpus that left a pcpu that another one ran on\n" },
    { "a vcpu goes on that runs elsewhere, or has no records",
      "runstate,anomaly",
      "100 p0 runnable>running d1v0\n"
      "100 p1 runnable>running d2v0\n"
      "120 p1 running>blocked d2v0\n"
      "130 p1 sched_continue_running d1v0\n"
      "140 p0 sched_continue_running d1v64\n"
      "150 p0 running>blocked d1v0\n",
      "d1v0 100..100 runnable - -> running by p0 (unseen)\n"
      "d2v0 100..100 runnable - -> running by p1 (unseen)\n"
      "d2v0 100..120 running p1 -> blocked by p1\n"
      "d1v0 100..150 running p0 -> blocked by p0\n"
      "d1v0 150..150 blocked p0 end\n"
      "d2v0 120..150 blocked p1 end\n"
      "2 vcpus that went on to run where they did not\n"
      "2 vcpus that left a pcpu that another one ran on\n" },
};

SCRIPT_TEST(contradictions)

static const struct script_row continuing_rows[] = {
    { "where it runs", "runstate,event,anomaly",
      "100 p0 runnable>running d1v0\n"
      "120 p0 sched_continue_running d1v0\n"
      "140 p0 running>blocked d1v0\n",
      "d1v0 100..100 runnable - -> running by p0 (unseen)\n"
      "d1v0 p0 120 event 0x21002, 1 words\n"
      "d1v0 100..120 running p0 -> running by p0\n"
      "d1v0 120..140 running p0 -> blocked by p0\n"
      "d1v0 140..140 blocked p0 end\n" },
    { "though it is blocked", "runstate,anomaly",
      "100 p0 runnable>running d1v0\n"
      "120 p0 running>blocked d1v0\n"
      "130 p0 sched_continue_running d1v0\n",
      "d1v0 100..100 runnable - -> running by p0 (unseen)\n"
      "d1v0 100..120 running p0 -> blocked by p0\n"
      "d1v0 120..130 blocked p0 end\n"
      "1 vcpus that went on to run where they did not\n"
      "1 vcpus that left a pcpu that another one ran on\n" },
    { "though another vcpu runs there", "runstate,anomaly",
      "100 p0 runnable>running d1v0\n"
      "110 p1 runnable>running d2v0\n"
      "130 p0 sched_continue_running d2v0\n",
      "d1v0 100..100 runnable - -> running by p0 (unseen)\n"
      "d2v0 100..110 runnable - -> running by p1 (unseen)\n"
      "d1v0 100..130 running p0 -> no data by p0\n"
      "d2v0 110..110 running p1 -> no data by p1\n"
      "d1v0 130..130 no data p0 end\n"
      "d2v0 110..130 no data p1 end\n"
      "1 vcpus that went on to run where they did not\n"
      "1 vcpus that left a pcpu that another one ran on\n" },
    { "after a loss whose record names no vcpu", "runstate,pcpu,anomaly",
      "100 p0 runnable>running d1v0\n"
      "110 p0 loss\n"
      "130 p0 lost_records 9 v65535@65535 110 0\n"
      "140 p0 sched_continue_running d1v0\n"
      "150 p0 running>blocked d1v0\n",
      "p0 100..100 unknown (unseen)\n"
      "d1v0 100..100 runnable - -> running by p0 (unseen)\n"
      "p0 100..110 running d1v0\n"
      "d1v0 100..110 running p0 -> lost by p0\n"
      "p0 110..130 lost\n"
      "d1v0 110..140 lost p0 -> running by p0\n"
      "p0 130..150 running d1v0\n"
      "d1v0 140..150 running p0 -> blocked by p0\n"
      "p0 150..150 unknown\n"
      "d1v0 150..150 blocked p0 end\n" },
    { "after a loss that inferred another vcpu", "runstate,pcpu,anomaly",
      "100 p0 runnable>running d1v0\n"
      "110 p0 loss\n"
      "130 p0 lost_records 9 v0@2 110 0\n"
      "140 p0 sched_continue_running d1v0\n"
      "150 p0 running>blocked d1v0\n",
      "p0 100..100 unknown (unseen)\n"
      "d1v0 100..100 runnable - -> running by p0 (unseen)\n"
      "p0 100..110 running d1v0\n"
      "d1v0 100..110 running p0 -> lost by p0\n"
      "p0 110..130 lost\n"
      "d2v0 100..130 lost - -> running by p0 (unseen)\n"
      "d2v0 130..130 running p0 -> running by p0 (unseen)\n"
      "d2v0 130..130 no data p0 -> no data by p0\n"
      "d1v0 110..140 lost p0 -> running by p0\n"
      "p0 130..150 running d1v0\n"
      "d1v0 140..150 running p0 -> blocked by p0\n"
      "p0 150..150 unknown\n"
      "d1v0 150..150 blocked p0 end\n"
      "d2v0 130..150 no data p0 end\n" },
};

SCRIPT_TEST(continuing)

static const struct script_row losses_rows[] = {
    { "of the running vcpu's pcpu", "runstate,pcpu,loss,anomaly",
      "100 p0 runnable>running d1v0\n"
      "120 p0 loss\n"
      "150 p0 lost_records 5 v0@1 120 0\n"
      "160 p0 running>blocked d1v0\n",
      "p0 100..100 unknown (unseen)\n"
      "d1v0 100..100 runnable - -> running by p0 (unseen)\n"
      "p0 100..120 running d1v0\n"
      "d1v0 100..120 running p0 -> lost by p0\n"
      "p0 120..150 lost\n"
      "p0 lost 120..150: 5, then d1v0\n"
      "d1v0 120..150 lost p0 -> running by p0\n"
      "p0 150..160 running d1v0\n"
      "d1v0 150..160 running p0 -> blocked by p0\n"
      "p0 160..160 unknown\n"
      "d1v0 160..160 blocked p0 end\n" },
    { "known only from the record", "runstate,pcpu,loss",
      "100 p0 runnable>running d1v0\n"
      "150 p0 lost_records 5 v0@1 120 0\n"
      "160 p0 running>blocked d1v0\n",
      "p0 100..100 unknown (unseen)\n"
      "d1v0 100..100 runnable - -> running by p0 (unseen)\n"
      "p0 100..150 running d1v0\n"
      "p0 150..150 lost\n"
      "d1v0 100..150 running p0 -> lost by p0\n"
      "p0 lost 150..150: 5, then d1v0\n"
      "d1v0 150..150 lost p0 -> running by p0\n"
      "p0 150..160 running d1v0\n"
      "d1v0 150..160 running p0 -> blocked by p0\n"
      "p0 160..160 unknown\n"
      "d1v0 160..160 blocked p0 end\n" },
    { "of all vcpus that do not run", "runstate",
      "100 p0 runnable>running d1v0\n"
      "110 p0 running>blocked d1v0\n"
      "110 p0 runnable>running d1v1\n"
      "115 p1 runnable>running d1v2\n"
      "120 p1 loss\n"
      "140 p1 lost_records 5 v2@1 120 0\n"
      "150 p0 running>blocked d1v1\n",
      "d1v0 100..100 runnable - -> running by p0 (unseen)\n"
      "d1v0 100..110 running p0 -> blocked by p0\n"
      "d1v1 100..110 runnable - -> running by p0 (unseen)\n"
      "d1v2 100..115 runnable - -> running by p1 (unseen)\n"
      "d1v2 115..120 running p1 -> lost by p1\n"
      "d1v0 110..120 blocked p0 -> lost by p1\n"
      "d1v2 120..140 lost p1 -> running by p1\n"
      "d1v1 110..150 running p0 -> blocked by p0\n"
      "d1v2 140..140 running p1 -> no data by p1\n"
      "d1v0 120..150 lost p0 end\n"
      "d1v1 150..150 blocked p0 end\n"
      "d1v2 140..150 no data p1 end\n" },
    { "further losses belong to the same time, for an idle vcpu, too",
      "runstate",
      "100 p0 runnable>running d32767v0\n"
      "110 p0 running>runnable d32767v0\n"
      "110 p0 runnable>running d1v0\n"
      "120 p1 loss\n"
      "130 p1 lost_records 1 v1@1 120 0\n"
      "140 p1 loss\n"
      "150 p1 lost_records 1 v1@1 140 0\n"
      "160 p0 running>blocked d1v0\n"
      "160 p0 runnable>running d32767v0\n",
      "idle0 100..100 runnable - -> running by p0 (unseen)\n"
      "idle0 100..110 running p0 -> runnable preempt by p0\n"
      "d1v0 100..110 runnable - -> running by p0 (unseen)\n"
      "idle0 110..120 runnable p0 preempt -> lost by p1\n"
      "d1v1 100..130 lost - -> running by p1 (unseen)\n"
      "d1v1 130..130 running p1 -> running by p1 (unseen)\n"
      "d1v1 130..140 running p1 -> lost by p1\n"
      "d1v1 140..150 lost p1 -> running by p1\n"
      "d1v0 110..160 running p0 -> blocked by p0\n"
      "idle0 120..160 lost p0 -> running by p0\n"
      "idle0 160..160 running p0 -> no data by p0\n"
      "d1v1 150..150 running p1 -> no data by p1\n"
      "d1v0 160..160 blocked p0 end\n"
      "d1v1 150..160 no data p1 end\n"
      "idle0 160..160 no data p0 end\n" },
    { "a vcpu that stops during a loss is lost", "runstate",
      "100 p0 runnable>running d1v0\n"
      "100 p1 runnable>running d1v1\n"
      "120 p1 loss\n"
      "130 p0 running>blocked d1v0\n"
      "140 p1 lost_records 5 v1@1 120 0\n"
      "150 p0 runnable>running d1v0\n",
      "d1v0 100..100 runnable - -> running by p0 (unseen)\n"
      "d1v1 100..100 runnable - -> running by p1 (unseen)\n"
      "d1v1 100..120 running p1 -> lost by p1\n"
      "d1v0 100..130 running p0 -> lost by p0\n"
      "d1v1 120..140 lost p1 -> running by p1\n"
      "d1v0 130..150 lost p0 -> running by p0\n"
      "d1v0 150..150 running p0 -> no data by p0\n"
      "d1v1 140..140 running p1 -> no data by p1\n"
      "d1v0 150..150 no data p0 end\n"
      "d1v1 140..150 no data p1 end\n" },
    { "idle vcpus are never lost", "runstate",
      "100 p0 runnable>running d32767v0\n"
      "100 p1 runnable>running d1v1\n"
      "120 p1 loss\n"
      "130 p0 running>runnable d32767v0\n"
      "140 p1 lost_records 5 v1@1 120 0\n",
      "idle0 100..100 runnable - -> running by p0 (unseen)\n"
      "d1v1 100..100 runnable - -> running by p1 (unseen)\n"
      "d1v1 100..120 running p1 -> lost by p1\n"
      "idle0 100..130 running p0 -> runnable preempt by p0\n"
      "d1v1 120..140 lost p1 -> running by p1\n"
      "d1v1 140..140 running p1 -> no data by p1\n"
      "d1v1 140..140 no data p1 end\n"
      "idle0 130..140 runnable p0 preempt end\n" },
    { "of two pcpus at the same time", "runstate,loss",
      "100 p0 runnable>running d1v0\n"
      "100 p1 runnable>running d1v1\n"
      "110 p0 loss\n"
      "120 p1 loss\n"
      "130 p0 lost_records 5 v0@1 110 0\n"
      "140 p1 lost_records 6 v1@1 120 0\n"
      "150 p0 running>blocked d1v0\n",
      "d1v0 100..100 runnable - -> running by p0 (unseen)\n"
      "d1v1 100..100 runnable - -> running by p1 (unseen)\n"
      "d1v0 100..110 running p0 -> lost by p0\n"
      "d1v1 100..120 running p1 -> lost by p1\n"
      "p0 lost 110..130: 5, then d1v0\n"
      "d1v0 110..130 lost p0 -> running by p0\n"
      "p1 lost 120..140: 6, then d1v1\n"
      "d1v1 120..140 lost p1 -> running by p1\n"
      "d1v0 130..150 running p0 -> blocked by p0\n"
      "d1v1 140..140 running p1 -> no data by p1\n"
      "d1v0 150..150 blocked p0 end\n"
      "d1v1 140..150 no data p1 end\n" },
    { "the inferred vcpu is not the one that leaves", "runstate,anomaly",
      "100 p0 runnable>running d1v0\n"
      "110 p0 loss\n"
      "130 p0 lost_records 5 v0@2 110 0\n"
      "140 p0 running>blocked d1v0\n"
      "150 p0 runnable>running d2v0\n",
      "d1v0 100..100 runnable - -> running by p0 (unseen)\n"
      "d1v0 100..110 running p0 -> lost by p0\n"
      "d2v0 100..130 lost - -> running by p0 (unseen)\n"
      "d2v0 130..130 running p0 -> running by p0 (unseen)\n"
      "d2v0 130..150 running p0 -> no data by p0\n"
      "d1v0 110..150 lost p0 end\n"
      "d2v0 150..150 no data p0 end\n"
      "1 runstate changes from another state than known\n" },
    { "before the first record", "pcpu,loss,volume",
      "100 p1 runnable>running d2v0\n"
      "110 p0 loss\n"
      "150 p0 lost_records 5 v0@1 110 0\n"
      "160 p0 running>blocked d1v0\n",
      "p1 100..100 unknown (unseen)\n"
      "p0 110..110 unknown (unseen)\n"
      "p0 110..150 lost\n"
      "p0 lost 110..150: 5, then d1v0\n"
      "p0 150..160 running d1v0\n"
      "p0 160..160 unknown\n"
      "p0 110..160: 2 records, 5 lost, 0 open, gen 1/28, sched 1/16\n"
      "p1 100..100 running d2v0\n"
      "p1 100..100: 1 records, 0 lost, 0 open, sched 1/16\n" },
    { "that ends before it begins", "loss,pcpu,anomaly",
      "100 p0 runnable>running d1v0\n"
      "150 p0 lost_records 5 v0@1 170 0\n"
      "160 p0 running>blocked d1v0\n",
      "p0 100..100 unknown (unseen)\n"
      "p0 100..150 running d1v0\n"
      "p0 150..150 lost\n"
      "p0 lost 150..150: 5, then d1v0\n"
      "p0 150..160 running d1v0\n"
      "p0 160..160 unknown\n"
      "1 losses that end before they begin\n" },
    { "one after the other", "loss,volume",
      "100 p0 runnable>running d1v0\n"
      "110 p0 loss\n"
      "110 p0 loss\n"
      "120 p0 lost_records 5 v0@1 110 0\n"
      "130 p0 lost_records 6 v0@1 125 0\n",
      "p0 lost 110..120: 5, then d1v0\n"
      "p0 lost 130..130: 6, then d1v0\n"
      "p0 100..130: 3 records, 11 lost, 0 open, gen 2/56, sched 1/16\n" },
};

SCRIPT_TEST(losses)

static const struct script_row ends_rows[] = {
    { "the running vcpu is lost after the last record", "runstate,pcpu",
      "100 p0 runnable>running d1v0\n"
      "100 p1 runnable>running d1v1\n"
      "150 p0 0x22002 1\n"
      "150 p0 end\n"
      "180 p1 running>blocked d1v1\n",
      "p0 100..100 unknown (unseen)\n"
      "d1v0 100..100 runnable - -> running by p0 (unseen)\n"
      "p1 100..100 unknown (unseen)\n"
      "d1v1 100..100 runnable - -> running by p1 (unseen)\n"
      "p0 100..150 running d1v0\n"
      "d1v0 100..150 running p0 -> no data by p0\n"
      "p1 100..180 running d1v1\n"
      "d1v1 100..180 running p1 -> blocked by p1\n"
      "p1 180..180 unknown\n"
      "d1v0 150..180 no data p0 end\n"
      "d1v1 180..180 blocked p1 end\n" },
    { "found again on another pcpu", "runstate,domain",
      "100 p0 runnable>running d1v0\n"
      "150 p0 end\n"
      "160 p1 runnable>running d1v0\n"
      "170 p1 running>blocked d1v0\n",
      "d1v0 100..100 runnable - -> running by p0 (unseen)\n"
      "d1v0 100..100 running p0 -> no data by p0\n"
      "d1 100..100 full run 1/0/0 of 1\n"
      "d1v0 100..160 no data p0 -> running by p1\n"
      "d1 100..160 no data 0/0/0 of 1, some ended\n"
      "d1v0 160..170 running p1 -> blocked by p1\n"
      "d1 160..170 full run 1/0/0 of 1\n"
      "d1v0 170..170 blocked p1 end\n"
      "d1 170..170 blocked 0/0/1 of 1 end\n" },
    { "a pcpu with nothing but a short record", "pcpu,volume,anomaly",
      "100 p0 running>blocked\n",
      "p0 100..100 unknown (unseen)\n"
      "p0 100..100: 1 records, 0 lost, 0 open, sched 1/12\n"
      "1 records that are too short\n" },
};

SCRIPT_TEST(ends)

/* The caches and tables by which words of records lead to vcpus. */
START_TEST(many_vcpus_of_one_pcpu)
{
    static char script[400 * 80];
    unsigned int lines = 0;
    size_t size = 0;
    char *facts;

    for ( unsigned int n = 0; n < 200; n++ )
        size += sprintf(script + size, "%u p0 runnable>running d%uv%u\n"
                        "%u p0 running>blocked d%uv%u\n", 10 * n, n % 20,
                        n / 20, 10 * n + 5, n % 20, n / 20);
    facts = script_run("runstate,anomaly", script);
    for ( char *at = facts; (at = strstr(at, " running p0 ->")); at++ )
        lines++;
    ck_assert_uint_eq(lines, 200);
    ck_assert_ptr_null(strstr(facts, "runstate changes"));
    free(facts);
}
END_TEST

UNIT_MAIN("runstates", states_follow_each_other, before_the_first_run,
          domains_sum_up_their_vcpus, vcpus_migrate, mismatches, contradictions,
          continuing, losses, ends, many_vcpus_of_one_pcpu)
