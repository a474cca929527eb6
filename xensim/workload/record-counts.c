/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The counts of emitted and lost records, for the test that compares them with
 * the drained records.
 */
#include "xensim/workload/workload-private.h"

#include "xensim/hypercall.h"
#include "xensim/workload/json-lines.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include <public/trace.h>

/*
 * Read the lost records of each pcpu since power on; 0 if the hypervisor does
 * not tell.
 */
void counts_read_lost(struct sim *s)
{
    struct xen_tbuf_cpu *cpus = calloc(s->config.cpus, sizeof(*cpus));
    struct xen_sysctl_tbuf_state state;

    if ( cpus && !hypercall_tbuf_state(&state, cpus, s->config.cpus) )
        for ( unsigned int cpu = 0; cpu < s->config.cpus; cpu++ )
            s->cpus[cpu].lost = cpus[cpu].lost;
    free(cpus);
}

static void write_counts(FILE *out, const struct sim_cpu *p)
{
    fprintf(out, "\"emitted\": %" PRIu64 ", \"unsure\": %" PRIu64
            ", \"interrupts\": %" PRIu64 ", \"nmis\": %" PRIu64
            ", \"lost\": %" PRIu64,
            p->emitted, p->unsure, p->interrupts, p->nmis, p->lost);
}

int workload_report(const struct workload *workload, FILE *out)
{
    const struct sim *s = sim_of_const(workload);
    struct sim_cpu sum = { .emitted = 0 };

    fprintf(out, "{\n  \"cpus\": [\n");
    for ( unsigned int cpu = 0; cpu < s->config.cpus; cpu++ )
    {
        const struct sim_cpu *p = &s->cpus[cpu];

        sum.emitted += p->emitted;
        sum.unsure += p->unsure;
        sum.interrupts += p->interrupts;
        sum.nmis += p->nmis;
        sum.lost += p->lost;
        fprintf(out, "    { \"cpu\": %u, ", cpu);
        write_counts(out, p);
        fprintf(out, " }%s\n", cpu + 1 < s->config.cpus ? "," : "");
    }
    fprintf(out, "  ],\n  ");
    write_counts(out, &sum);
    fprintf(out, "\n}\n");
    return fflush(out) || ferror(out) ? -EIO : 0;
}
