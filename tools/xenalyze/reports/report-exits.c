/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --report-exits: cost of VM exits by domain, reason and handler.
 */
#include "xenalyze/reports/table.h"
#include "xenalyze/text/text.h"

static bool exits_are_requested(const struct report_config *c)
{
    return c->exits;
}

static int exits_print(struct report_pass *p, void *state)
{
    (void)state;
    return text_print_exits(account_summary(p), &p->request, p->out);
}

const struct report report_exits = {
    .name = "exits", .needs = { &report_account },
    .is_requested = exits_are_requested, .print = exits_print,
};
