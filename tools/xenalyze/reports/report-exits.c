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

static bool exits_are_empty(struct report_pass *p)
{
    const struct summary *s = account_summary(p);

    for ( uint32_t i = 0; i < s->nr_vcpus; i++ )
        for ( unsigned int c = 0; s->vcpus[i]->hvm && c < EXIT_CAUSES; c++ )
            if ( summary_exit_find(s->vcpus[i]->hvm, c) )
                return false;
    return true;
}

static int exits_print(struct report_pass *p, void *state)
{
    (void)state;
    return text_print_exits(account_summary(p), &p->request, p->out);
}

const struct report report_exits = {
    .name = "exits", .needs = { &report_account },
    .is_requested = exits_are_requested, .print = exits_print,
    .is_empty = exits_are_empty, .events = "VM exits of HVM or PVH guests",
    .class = "hvm:entryexit", .capture = "hvm",
};
