/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --report-pcpu: running, idle and lost time of each pcpu.
 */
#include "xenalyze/reports/table.h"
#include "xenalyze/text/text.h"

static bool pcpus_are_requested(const struct report_config *c)
{
    return c->pcpus;
}

static int pcpus_print(struct report_pass *p, void *state)
{
    (void)state;
    text_print_pcpus(account_summary(p), &p->request, p->out);
    return 0;
}

const struct report report_pcpus = {
    .name = "pcpus", .needs = { &report_account },
    .is_requested = pcpus_are_requested, .print = pcpus_print,
};
