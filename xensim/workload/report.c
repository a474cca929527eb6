/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The books, for the test that compares them with what was drained and what
 * the hypervisor counted as lost.
 */
#include "xensim/workload/player.h"

#include <errno.h>
#include <inttypes.h>

static void row(FILE *out, const struct player *p)
{
    fprintf(out, "\"emitted\": %" PRIu64 ", \"unsure\": %" PRIu64
            ", \"interrupts\": %" PRIu64 ", \"nmis\": %" PRIu64,
            p->emitted, p->unsure, p->interrupts, p->nmis);
}

int workload_report(const struct workload *w, FILE *out)
{
    struct player sum = { .emitted = 0 };

    fprintf(out, "{\n  \"cpus\": [\n");
    for ( unsigned int cpu = 0; cpu < w->config.cpus; cpu++ )
    {
        const struct player *p = &w->players[cpu];

        sum.emitted += p->emitted;
        sum.unsure += p->unsure;
        sum.interrupts += p->interrupts;
        sum.nmis += p->nmis;
        fprintf(out, "    { \"cpu\": %u, ", cpu);
        row(out, p);
        fprintf(out, " }%s\n", cpu + 1 < w->config.cpus ? "," : "");
    }
    fprintf(out, "  ],\n  ");
    row(out, &sum);
    fprintf(out, "\n}\n");
    return fflush(out) || ferror(out) ? -EIO : 0;
}
