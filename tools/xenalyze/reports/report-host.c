/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables of the host and its domains, from the metadata of the collector; no
 * fact is needed.  The text is that of --info.
 */
#include <errno.h>
#include <stdlib.h>

#include "common/fault.h"
#include "xenalyze/reports/table.h"

struct host_tables
{
    const struct xt_host *host;     /* borrowed */
};

static bool host_is_requested(const struct report_config *c)
{
    (void)c;
    return false;
}

static int host_open(struct report_pass *p, void **state, struct err *e)
{
    static const struct xt_host nothing;
    struct host_tables *h = *state = fault_calloc(1, sizeof(*h));

    (void)e;
    if ( !h )
        return -ENOMEM;
    h->host = p->names ? &p->names->host : &nothing;
    return 0;
}

static void walk_properties(struct export *x, void *state)
{
    const struct xt_host *h = ((struct host_tables *)state)->host;
    const struct xt_meta *m = NULL;

    while ( (m = xt_host_next(h, TRC_META_DOMAIN, m)) )
    {
        const struct xt_rec_meta_domain *d = &m->domain;
        const struct xt_rec_meta_domain_uuid *u = xt_host_uuid(h, d->dom);
        const struct xt_rec_meta_domain_weight *w = xt_host_weight(h, d->dom);
        char uuid[XT_UUID_TEXT];

        if ( u )
            xt_uuid_format(u, uuid);
        EXPORT_ROW(x, export_number(d->dom), export_text(u ? uuid : NULL),
                   export_text(xt_host_domain_type(d)),
                   export_number(d->vcpus),
                   export_optional(d->memory, d->memory),
                   export_optional(d->pool >= 0, d->pool),
                   export_optional(w, w ? w->weight : 0),
                   export_optional(w, w ? w->cap : 0));
    }
}

static const struct export_column property_columns[] = {
    EXPORT_DOMAIN_ID,
    EXPORT_OPTIONAL("uuid", TEXT, "the UUID of the domain"),
    EXPORT_COLUMN("type", TEXT, "PV, PVH, HVM, or HVM or PVH"),
    EXPORT_COLUMN("vcpus", COUNT, "the number of online vcpus"),
    EXPORT_OPTIONAL("memory_bytes", COUNT, "the size of the memory"),
    EXPORT_OPTIONAL("pool", COUNT, "the cpupool"),
    EXPORT_OPTIONAL("weight", COUNT, "the weight in credit or credit2"),
    EXPORT_OPTIONAL("cap_percent", COUNT,
                    "the cap in percent of a pcpu; 0: none"),
};

static void export_affinity(struct export *x, const struct xt_host *h,
                            unsigned int domain, unsigned int vcpu)
{
    char hard[XT_AFFINITY_TEXT_MAX], soft[XT_AFFINITY_TEXT_MAX];
    bool has_hard = xt_host_affinity_text(h, domain, vcpu, XT_AFFINITY_HARD,
                                          hard);
    bool has_soft = xt_host_affinity_text(h, domain, vcpu, XT_AFFINITY_SOFT,
                                          soft);

    if ( has_hard || has_soft )
        EXPORT_ROW(x, export_number(domain),
                   export_optional(vcpu < XT_VCPU_OTHERS, vcpu),
                   export_text(has_hard ? hard : NULL),
                   export_text(has_soft ? soft : NULL));
}

static void walk_affinity(struct export *x, void *state)
{
    const struct xt_host *h = ((struct host_tables *)state)->host;
    const struct xt_meta *m = NULL;

    while ( (m = xt_host_next(h, TRC_META_DOMAIN, m)) )
        for ( int v = -1;
              (v = xt_host_next_pinned(h, m->domain.dom, v + 1)) >= 0; )
            export_affinity(x, h, m->domain.dom, v);
}

static const struct export_column affinity_columns[] = {
    EXPORT_DOMAIN_ID,
    EXPORT_OPTIONAL("vcpu", COUNT,
                    "the number of the vcpu; absent: all other vcpus of the "
                    "domain"),
    EXPORT_OPTIONAL("hard", TEXT,
                    "the pcpus that the vcpu may run on, such as 0-3,8; or "
                    "all"),
    EXPORT_OPTIONAL("soft", TEXT, "the pcpus that the vcpu prefers"),
};

static void walk_budgets(struct export *x, void *state)
{
    const struct xt_host *h = ((struct host_tables *)state)->host;
    const struct xt_meta *m = NULL;

    while ( (m = xt_host_next(h, TRC_META_VCPU_BUDGET, m)) )
        EXPORT_ROW(x, export_number(m->vcpu_budget.dom),
                   export_number(m->vcpu_budget.vcpu),
                   export_number(m->vcpu_budget.period),
                   export_number(m->vcpu_budget.budget),
                   export_text(m->vcpu_budget.extra ? "yes" : "no"));
}

static const struct export_column budget_columns[] = {
    EXPORT_DOMAIN_ID, EXPORT_VCPU_ID,
    EXPORT_COLUMN("period_us", COUNT, "the period in microseconds"),
    EXPORT_COLUMN("budget_us", COUNT,
                  "the run time per period in microseconds"),
    EXPORT_COLUMN("extra_time", TEXT,
                  "yes: the vcpu may use idle pcpus beyond its budget; no"),
};

/* All bits 1: no such parameter. */
static struct export_value export_us(const struct xt_rec_meta_pool_times *t,
                                     uint32_t us)
{
    return export_optional(t && us != UINT32_MAX, us);
}

static void walk_pools(struct export *x, void *state)
{
    const struct xt_host *h = ((struct host_tables *)state)->host;
    const struct xt_meta *m = NULL;

    while ( (m = xt_host_next(h, TRC_META_POOL, m)) )
    {
        const struct xt_rec_meta_pool_times *t =
            xt_host_pool_times(h, m->pool.pool);

        EXPORT_ROW(x, export_number(m->pool.pool),
                   export_text(xt_scheduler_name(m->pool.scheduler)),
                   export_number(m->pool.cpus),
                   export_us(t, t ? t->timeslice : 0),
                   export_us(t, t ? t->ratelimit : 0),
                   export_us(t, t ? t->migration_delay : 0));
    }
}

static const struct export_column pool_columns[] = {
    EXPORT_COLUMN("pool", COUNT, "the number of the cpupool"),
    EXPORT_OPTIONAL("scheduler", TEXT,
                    "credit, credit2, rtds, null or arinc653"),
    EXPORT_COLUMN("pcpus", COUNT, "the number of pcpus"),
    EXPORT_OPTIONAL("timeslice_us", COUNT, "the time slice in microseconds"),
    EXPORT_OPTIONAL("ratelimit_us", COUNT,
                    "the minimum run time before a preemption in "
                    "microseconds"),
    EXPORT_OPTIONAL("migration_delay_us", COUNT,
                    "the time in microseconds after which a vcpu may move to "
                    "another pcpu"),
};

/* Negative: unknown, or offline. */
static struct export_value export_unit(int32_t unit)
{
    return export_optional(unit >= 0, unit);
}

static void walk_topology(struct export *x, void *state)
{
    const struct xt_host *h = ((struct host_tables *)state)->host;
    const struct xt_meta *m = NULL;

    while ( (m = xt_host_next(h, TRC_META_CPU, m)) )
        EXPORT_ROW(x, export_number(m->cpu.cpu), export_unit(m->cpu.core),
                   export_unit(m->cpu.socket), export_unit(m->cpu.node),
                   export_unit(m->cpu.pool));
}

static const struct export_column topology_columns[] = {
    EXPORT_PCPU_ID,
    EXPORT_OPTIONAL("core", COUNT,
                    "the core in the socket; pcpus of one core are threads"),
    EXPORT_OPTIONAL("socket", COUNT, "the socket"),
    EXPORT_OPTIONAL("node", COUNT, "the NUMA node"),
    EXPORT_OPTIONAL("pool", COUNT, "the cpupool"),
};

static void walk_interrupts(struct export *x, void *state)
{
    const struct xt_host *h = ((struct host_tables *)state)->host;
    char text[XT_IRQ_TEXT_MAX], device[XT_IRQ_TEXT_MAX];
    const struct xt_meta *m = NULL;

    while ( (m = xt_host_next(h, TRC_META_IRQ_NAME, m)) )
        if ( !m->irq_name.part &&
             xt_host_irq_text(h, m->irq_name.irq, text) )
        {
            bool known = xt_host_irq_device(h, m->irq_name.irq, device);

            EXPORT_ROW(x, export_number(m->irq_name.irq), export_text(text),
                       export_text(known ? device : NULL));
        }
}

static const struct export_column interrupt_columns[] = {
    EXPORT_COLUMN("irq", COUNT, "the number of the interrupt in dom0"),
    EXPORT_COLUMN("text", TEXT, "its line of /proc/interrupts, without counts"),
    EXPORT_OPTIONAL("device", TEXT,
                    "the device, if the number is also Xen's number of the "
                    "interrupt"),
};

static const struct export_table tables[] = {
    { "domain_properties", "Domains, as the collector found them.",
      EXPORT_IN_TABLES, EXPORT_COLUMNS(property_columns), walk_properties },
    { "vcpu_affinity", "The pcpus that vcpus may run on.", EXPORT_IN_TABLES,
      EXPORT_COLUMNS(affinity_columns), walk_affinity },
    { "vcpu_budgets", "The parameters of vcpus under RTDS.", EXPORT_IN_TABLES,
      EXPORT_COLUMNS(budget_columns), walk_budgets },
    { "pools", "Cpupools and their schedulers.", EXPORT_IN_TABLES,
      EXPORT_COLUMNS(pool_columns), walk_pools },
    { "topology", "The place of each pcpu in the machine.", EXPORT_IN_TABLES,
      EXPORT_COLUMNS(topology_columns), walk_topology },
    { "interrupt_names", "The interrupts of dom0.", EXPORT_IN_TABLES,
      EXPORT_COLUMNS(interrupt_columns), walk_interrupts },
    { .name = NULL },
};

void report_export_host(struct export *x, const struct xt_host *host)
{
    struct host_tables state = { host };

    for ( const struct export_table *t = tables; t->name; t++ )
    {
        export_begin(x, t);
        t->walk(x, &state);
        export_end(x);
    }
}

const struct report report_host = {
    .name = "host", .in_every_export = true,
    .is_requested = host_is_requested, .open = host_open,
    .tables = { tables }, .free = free,
};
