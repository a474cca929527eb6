/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reports that print a part of the account (report-account.c), in output order:
 * the summary, --report-pcpu, --report-exits, and the data quality section at
 * the end of the summary.
 */
#include "xenalyze/reports/table.h"
#include "xenalyze/text/text.h"

/* These reports have no state but the account. */
static int open_nothing(struct report_pass *p, void **state, struct err *e)
{
    (void)p;
    (void)e;
    *state = NULL;
    return 0;
}

static struct summary *summary_of(const struct report_pass *p)
{
    struct account *a = report_state(p, &report_account);

    return a->summary;
}

static bool summary_is_requested(const struct report_config *c)
{
    return c->summary;
}

static int summary_print(struct report_pass *p, void *state)
{
    (void)state;
    text_print_summary(summary_of(p), &p->request, p->out);
    return 0;
}

const struct report report_summary = {
    .name = "summary", .needs = { &report_account },
    .is_requested = summary_is_requested, .open = open_nothing,
    .print = summary_print,
};

static bool pcpus_are_requested(const struct report_config *c)
{
    return c->pcpus;
}

static int pcpus_print(struct report_pass *p, void *state)
{
    (void)state;
    text_print_pcpus(summary_of(p), &p->request, p->out);
    return 0;
}

const struct report report_pcpus = {
    .name = "pcpus", .needs = { &report_account },
    .is_requested = pcpus_are_requested, .open = open_nothing,
    .print = pcpus_print,
};

static bool exits_are_requested(const struct report_config *c)
{
    return c->exits;
}

static int exits_print(struct report_pass *p, void *state)
{
    (void)state;
    return text_print_exits(summary_of(p), &p->request, p->out);
}

const struct report report_exits = {
    .name = "exits", .needs = { &report_account },
    .is_requested = exits_are_requested, .open = open_nothing,
    .print = exits_print,
};

static int quality_print(struct report_pass *p, void *state)
{
    (void)state;
    text_print_quality(summary_of(p), &p->request, p->out);
    return 0;
}

const struct report report_quality = {
    .name = "data quality", .needs = { &report_account },
    .is_requested = summary_is_requested, .open = open_nothing,
    .print = quality_print,
};
