/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The end of --summary: time by state, lost records, damage, contradictions.
 */
#include <inttypes.h>

#include "xenalyze/reports/table.h"
#include "xenalyze/text/text.h"

static bool quality_is_requested(const struct report_config *c)
{
    return c->summary;
}

static int quality_print(struct report_pass *p, void *state)
{
    (void)state;
    text_print_quality(account_summary(p), &p->request, p->out);
    if ( p->reuses.nr )
        fprintf(p->out, " domains with the id of a destroyed one, which share "
                "its rows: %" PRIu64 "\n", p->reuses.nr);
    return 0;
}

const struct report report_quality = {
    .name = "data quality", .needs = { &report_account },
    .is_requested = quality_is_requested, .print = quality_print,
};
