/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --dump-ipi-latency: how long interrupts between the vcpus of a domain took.
 * As text, lines are printed while the trace is read, above all other reports.
 */
#include <errno.h>
#include <stdlib.h>

#include "common/fault.h"
#include "xenalyze/reports/table.h"

static bool ipi_is_requested(const struct report_config *c)
{
    return c->ipi_latency;
}

static int ipi_open(struct report_pass *p, void **state, struct err *e)
{
    struct ipi_latency *i = *state = fault_calloc(1, sizeof(*i));

    (void)e;
    if ( !i )
        return -ENOMEM;
    ipi_latency_init(i, p->export ? NULL : p->out);
    report_add_sink(p, ipi_latency_sink(i));
    return 0;
}

static int ipi_close(struct report_pass *p, void *state)
{
    struct ipi_latency *i = state;

    (void)p;
    ipi_latency_close(i);
    return 0;
}

static bool ipi_has_failed(const void *state)
{
    const struct ipi_latency *i = state;

    return i->failed || i->pool.failed;
}

static void ipi_free(void *state)
{
    if ( state )
        ipi_latency_fini(state);
    free(state);
}

static void walk_latencies(struct export *x, void *state)
{
    struct ipi_latency *l = state;

    for ( uint32_t i = 0; i < l->nr; i++ )
    {
        const struct ipi_vcpu *v = &l->vcpus[i];
        struct stats_row **rows = stats_map_by_key(&v->latency, &l->pool);

        for ( size_t k = 0; rows && k < v->latency.used; k++ )
            EXPORT_ROW(x, export_number(v->domain), export_number(v->id),
                       export_number(rows[k]->key),
                       export_series(&rows[k]->stats));
    }
}

static const struct export_column columns[] = {
    EXPORT_DOMAIN_ID, EXPORT_VCPU_ID,
    EXPORT_COLUMN("vector", COUNT, "the vector of the interrupt"),
    EXPORT_STATISTICS,
};

static const struct export_table tables[] = {
    { "ipi_latency", "Latency of the interrupts that a vcpu sends to all "
      "others of its domain, up to the arrival at this vcpu "
      "(--dump-ipi-latency).",
      EXPORT_IN_TABLES, EXPORT_COLUMNS(columns), walk_latencies },
    { .name = NULL },
};

const struct report report_ipi_latency = {
    .name = "IPI latency", .is_addition = true,
    .is_requested = ipi_is_requested, .open = ipi_open,
    .close = ipi_close, .tables = { tables },
    .has_failed = ipi_has_failed, .free = ipi_free,
};
