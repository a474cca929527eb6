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
    size_t size = sizeof(struct xen_tbuf_state) +
                  s->config.cpus * sizeof(struct xen_tbuf_cpu);
    uint8_t *buffer = calloc(1, size);
    struct xen_sysctl_tbuf_op op = {
        .cmd = XEN_SYSCTL_TBUFOP_state,
        .cpu_mask = { .bitmap.p = buffer, .nr_bits = 8 * size },
    };
    struct xen_tbuf_state state;

    if ( !buffer || hypercall_tbuf(&op, buffer, size) )
        goto out;
    memcpy(&state, buffer, sizeof(state));
    for ( unsigned int cpu = 0; cpu < min(state.nr_cpus, s->config.cpus);
          cpu++ )
    {
        size_t at = state.cpu_offset + cpu * state.cpu_size;
        struct xen_tbuf_cpu c;

        if ( at + sizeof(c) > size )
            break;
        memcpy(&c, buffer + at, sizeof(c));
        s->cpus[cpu].lost = c.lost;
    }
out:
    free(buffer);
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
