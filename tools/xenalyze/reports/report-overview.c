/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --report-overview: one screen of the numbers of other reports.
 */
#include "xenalyze/reports/table.h"
#include "xenalyze/text/text.h"

static bool overview_is_requested(const struct report_config *c)
{
    return c->overview;
}

static int overview_print(struct report_pass *p, void *state)
{
    (void)state;
    return text_print_overview(account_summary(p),
                               report_state(p, &report_latency), &p->request,
                               p->name, p->out);
}

const struct report report_overview = {
    .name = "overview", .needs = { &report_account, &report_latency },
    .is_requested = overview_is_requested, .print = overview_print,
};
