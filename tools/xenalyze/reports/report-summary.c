/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --summary: activity of domains, vcpus and guests, in the words of stock.
 */
#include "xenalyze/reports/table.h"
#include "xenalyze/text/text.h"

static bool summary_is_requested(const struct report_config *c)
{
    return c->summary;
}

static int summary_print(struct report_pass *p, void *state)
{
    (void)state;
    text_print_summary(account_summary(p), &p->request, p->out);
    return 0;
}

const struct report report_summary = {
    .name = "summary", .needs = { &report_account },
    .is_requested = summary_is_requested, .print = summary_print,
};
