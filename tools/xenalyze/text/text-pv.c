/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts as text: record bytes of pcpus, memory operations, PV guest events.
 */
#include "xenalyze/text/text-private.h"

#include <assert.h>
#include <inttypes.h>

#include "xenalyze/model/model.h"

/* --- volumes -------------------------------------------------------------- */

/* Record classes in stock's order, each class before its sub-classes. */
static const struct { uint8_t kind; const char *format; } volumes[] = {
    { VOLUME_GEN, " %-6s: %10" PRIu64 "\n" },
    { VOLUME_SCHED, " %-6s: %10" PRIu64 "\n" },
    { VOLUME_DOM0OP, " %-6s: %10" PRIu64 "\n" },
    { VOLUME_HVM, " %-6s: %10" PRIu64 "\n" },
    { VOLUME_HVM_ENTRY, " +-%-7s: %10" PRIu64 "\n" },
    { VOLUME_HVM_EXIT, " +-%-7s: %10" PRIu64 "\n" },
    { VOLUME_HVM_HANDLER, " +-%-7s: %10" PRIu64 "\n" },
    { VOLUME_HVM_EMUL, " +-%-7s: %10" PRIu64 "\n" },
    { VOLUME_MEM, " %-6s: %10" PRIu64 "\n" },
    { VOLUME_PV, " %-6s: %10" PRIu64 "\n" },
    { VOLUME_SHADOW, " %-6s: %10" PRIu64 "\n" },
    { VOLUME_HW, " %-6s: %10" PRIu64 "\n" },
    { VOLUME_GUEST, " %-6s: %10" PRIu64 "\n" },
    { VOLUME_OTHER, " %-6s: %10" PRIu64 "\n" },
};

#define NR_VOLUMES (sizeof(volumes) / sizeof(volumes[0]))

_Static_assert(NR_VOLUMES <= VOLUME_KINDS, "a kind has two lines");

void text_volumes(const struct text *t)
{
    size_t n;
    struct sort_row *pcpus = text_pcpus(t, &n);

    for ( size_t i = 0; i < n; i++ )
    {
        const struct summary_pcpu *p = t->summary->pcpus[pcpus[i].index];
        const struct fact_volume *v = &p->volume;

        if ( !v->records )
            continue;
        fprintf(t->out, " - cpu %u -\n", p->id);
        for ( unsigned int k = 0; k < NR_VOLUMES; k++ )
            if ( v->bytes[volumes[k].kind] )
                fprintf(t->out, volumes[k].format,
                        volume_name(volumes[k].kind),
                        v->bytes[volumes[k].kind]);
    }
}

/* --- memory --------------------------------------------------------------- */

static void print_done(const struct text *t, const char *heading,
                       const uint64_t done[MEMORY_KINDS])
{
    struct sort_row rows[MEMORY_KINDS];
    size_t n = text_counts(t, done, MEMORY_KINDS, rows);

    assert(n <= MEMORY_KINDS);
    fprintf(t->out, "  %s:\n", heading);
    for ( size_t i = 0; i < n; i++ )
        fprintf(t->out, "   %-14s: %" PRIu64 "\n", memory_name(rows[i].index),
                rows[i].value);
}

static void print_orders(FILE *out, const char *before,
                         const uint64_t orders[SUMMARY_ORDERS])
{
    for ( unsigned int i = 0; i < SUMMARY_ORDERS; i++ )
        if ( orders[i] )
            fprintf(out, "%s[%u] %" PRIu64 "\n", before, i, orders[i]);
}

static void print_contexts(FILE *out, const struct summary_memory *m)
{
    fprintf(out, "  Reclaim contexts:\n");
    for ( unsigned int i = 0; i < POD_CONTEXTS; i++ )
    {
        uint64_t sum = 0;

        for ( unsigned int k = 0; k < SUMMARY_ORDERS; k++ )
            sum += m->contexts[i][k];
        if ( !sum )
            continue;
        fprintf(out, "   * [%s] %" PRIu64 "\n", pod_context_name(i), sum);
        print_orders(out, "    ", m->contexts[i]);
    }
}

void text_memory(const struct text *t, const struct summary_memory *m)
{
    fprintf(t->out, " Grant table ops:\n");
    print_done(t, "Done by", m->done_by);
    print_done(t, "Done for", m->done_for);
    fprintf(t->out, " Populate-on-demand:\n  Populated:\n");
    print_orders(t->out, "   ", m->populated);
    fprintf(t->out, "  Reclaim order:\n");
    print_orders(t->out, "   ", m->reclaimed);
    print_contexts(t->out, m);
}

/* --- PV guests ------------------------------------------------------------ */

static void print_hypercalls(const struct text *t, const struct summary_pv *pv)
{
    struct sort_row rows[SUMMARY_HYPERCALLS + 1];
    size_t n = text_counts(t, pv->hypercalls, SUMMARY_HYPERCALLS + 1, rows);

    for ( size_t i = 0; i < n; i++ )
    {
        const char *name = hypercall_name(rows[i].index);

        if ( rows[i].index == SUMMARY_HYPERCALLS )
            fprintf(t->out, "    %-29s[..]: %6" PRIu64 "\n", "(higher ones)",
                    rows[i].value);
        else
            fprintf(t->out, "    %-29s[%2zu]: %6" PRIu64 "\n",
                    name ? name : "(unknown)", rows[i].index, rows[i].value);
    }
}

static void print_traps(const struct text *t, const struct summary_pv *pv)
{
    struct sort_row rows[SUMMARY_TRAPS + 1];
    size_t n = text_counts(t, pv->traps, SUMMARY_TRAPS + 1, rows);

    assert(n <= SUMMARY_TRAPS + 1);
    for ( size_t i = 0; i < n; i++ )
        fprintf(t->out, "    [%zu%s] %" PRIu64 "\n", rows[i].index,
                rows[i].index == SUMMARY_TRAPS ? "+" : "", rows[i].value);
}

/* Calls within a multicall count as hypercalls and have a line of their own. */
static uint64_t pv_times(const struct summary_pv *pv, unsigned int kind)
{
    assert(kind < PV_KINDS);
    if ( kind == PV_HYPERCALL_V2 )
        return pv->times[kind] + pv->times[PV_HYPERCALL_SUBCALL];
    return pv->times[kind];
}

void text_pv(const struct text *t, const struct summary_pv *pv)
{
    struct sort_row rows[PV_KINDS];
    uint64_t times[PV_KINDS];
    size_t n;

    for ( unsigned int i = 0; i < PV_KINDS; i++ )
        times[i] = pv_times(pv, i);
    n = text_counts(t, times, PV_KINDS, rows);
    fprintf(t->out, "PV events:\n");
    for ( size_t i = 0; i < n; i++ )
    {
        fprintf(t->out, "  %s  %" PRIu64 "\n", pv_name(rows[i].index),
                rows[i].value);
        if ( rows[i].index == PV_HYPERCALL_V2 )
            print_hypercalls(t, pv);
        if ( rows[i].index == PV_TRAP )
            print_traps(t, pv);
    }
}
