/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tracing begins on all CPUs at once: while the IPIs of a start change one ring
 * after the other, call sites still find tracing off.
 */
#include "tests/step/ipi.h"
#include "tests/step/kinds.h"

#include <stdio.h>

static struct tally *now;

static void watch_ipi(struct ipi *ipi)
{
    now->trials++;
    if ( tb_init_done )
        snprintf(now->fault, sizeof(now->fault),
                 "tracing is on while rings are made live");
    ipi_send(ipi);
}

/* Starts by an allocation, by an operation, and as a flight recorder. */
void kind_start(const struct plan *plan, struct tally *tally)
{
    const struct xensim_config config = {
        .cpus = 3, .frames = 64, .poison = true, .all_messages = true,
    };
    unsigned int i;
    int rc;

    now = tally;
    if ( kit_start(&config) )
        return;
    for ( i = 0; i < 3 && !tally->fault[0]; i++ )
    {
        ipi_intercept(watch_ipi);
        if ( i == 0 )
            rc = kit_set_size(plan->pages);
        else
            rc = i == 1 ? kit_enable() : kit_overwrite();
        ipi_intercept(NULL);
        if ( rc || !tb_init_done )
            snprintf(tally->fault, sizeof(tally->fault),
                     "start %u: %d, tracing is %s", i, rc,
                     tb_init_done ? "on" : "off");
        kit_disable();
    }
    if ( !tally->fault[0] && tally->trials < 3 )
        snprintf(tally->fault, sizeof(tally->fault), "%lu IPIs",
                 tally->trials);
}
