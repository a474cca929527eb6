/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The walk over all rows: the trace, pcpus, domains, vcpus, waiting; within
 * each in the order of ids, so that two reports can be compared line by line.
 */
#include "xenalyze/export/report-rows.h"

#include <inttypes.h>

#include "xenalyze/account/account.h"
#include "xenalyze/model/model.h"

struct walk
{
    struct summary *summary;
    const struct report_request *request;
    row_fn *fn;
    void *state;
};

static void tell(const struct walk *w, struct row row)
{
    if ( row.series ? stats_events(row.series) || row.open : row.count )
        w->fn(w->state, &row);
}

/* A table of counts by name. */
struct named
{
    const char *name;
    uint64_t count;
};

#define ROW(d, v, p, ...) \
    (struct row){ .domain = (d), .vcpu = (v), .pcpu = (p), __VA_ARGS__ }
#define NOBODY(...) ROW(ROW_NONE, ROW_NONE, ROW_NONE, __VA_ARGS__)
#define PCPU(p, ...) ROW(ROW_NONE, ROW_NONE, (p)->id, __VA_ARGS__)
#define DOMAIN(d, ...) ROW((d)->id, ROW_NONE, ROW_NONE, __VA_ARGS__)
#define VCPU(v, ...) ROW((v)->domain, (v)->id, ROW_NONE, __VA_ARGS__)

/* --- the trace ------------------------------------------------------------ */

static void walk_trace(const struct walk *w)
{
    const struct summary *b = w->summary;
    const struct named counts[] = {
        { "hz", b->hz }, { "first", b->first }, { "cycles", b->total },
        { "segments", b->segments }, { "records", b->records },
        { "lost-records", b->lost }, { "losses", b->losses },
        { "blind-cycles", b->blind },
        { "damaged-places", xt_damage_times(&b->damage) },
        { "skipped-bytes", xt_damage_bytes(&b->damage) },
    };

    for ( size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++ )
        tell(w, NOBODY(.table = "trace", .name = counts[i].name,
                       .count = counts[i].count));
    for ( unsigned int i = 0; i < ANOMALY_KINDS; i++ )
        tell(w, NOBODY(.table = "strange", .name = anomaly_name(i),
                       .count = b->anomalies[i]));
    for ( size_t i = 0; i < b->loss_gaps.used; i++ )
        tell(w, ROW(ROW_NONE, ROW_NONE, (int64_t)b->loss_gaps.rows[i].tag,
                    .table = "blind", .has_number = true,
                    .number = b->loss_gaps.rows[i].at,
                    .count = b->loss_gaps.rows[i].key));
    for ( size_t i = 0; i < b->damage.nr_first; i++ )
        tell(w, NOBODY(.table = "damage",
                       .name = xt_damage_text(b->damage.first[i].kind),
                       .has_number = true,
                       .number = b->damage.first[i].offset,
                       .count = b->damage.first[i].bytes));
}

/* --- pcpus ---------------------------------------------------------------- */

static void walk_pcpu(const struct walk *w, const struct summary_pcpu *p)
{
    const struct named counts[] = {
        { "records", p->volume.records }, { "losses", p->losses },
        { "lost-records", p->volume.lost }, { "blind-cycles", p->blind },
        { "cycles", p->time }, { "interrupts", p->interrupts },
        { "interrupt-cycles", p->interrupt_cycles },
    };

    for ( size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++ )
        tell(w, PCPU(p, .table = "pcpu", .name = counts[i].name,
                    .count = counts[i].count));
    for ( unsigned int i = 0; i < VOLUME_KINDS; i++ )
        tell(w, PCPU(p, .table = "pcpu-bytes", .name = volume_name(i),
                     .count = p->volume.bytes[i]));
    for ( unsigned int i = 0; i < PCPU_STATES; i++ )
        tell(w, PCPU(p, .table = "pcpu-state", .name = pcpu_state_name(i),
                     .series = &p->state[i]));
    tell(w, PCPU(p, .table = "pcpu-sleep", .series = &p->sleep));
}

/* --- domains -------------------------------------------------------------- */

static void walk_memory(const struct walk *w, const struct summary_domain *d)
{
    for ( unsigned int i = 0; i < MEMORY_KINDS; i++ )
    {
        tell(w, DOMAIN(d, .table = "memory-done-by", .name = memory_name(i),
                       .count = d->memory.done_by[i]));
        tell(w, DOMAIN(d, .table = "memory-done-for", .name = memory_name(i),
                       .count = d->memory.done_for[i]));
    }
    for ( unsigned int i = 0; i < SUMMARY_ORDERS; i++ )
    {
        tell(w, DOMAIN(d, .table = "pod-populated", .has_number = true,
                       .number = i, .count = d->memory.populated[i]));
        for ( unsigned int k = 0; k < POD_CONTEXTS; k++ )
            tell(w, DOMAIN(d, .table = "pod-reclaimed",
                           .name = pod_context_name(k), .has_number = true,
                           .number = i,
                           .count = d->memory.contexts[k][i]));
    }
}

/* A row for each key of a map; of addresses with symbols, if asked for. */
static void walk_keys(const struct walk *w, const struct stats_map *m,
                      struct row row, const struct symbols *symbols)
{
    struct stats_row **rows = stats_map_by_key(m, &w->summary->pool);
    char symbol[SYMBOLS_TEXT_MAX];

    row.has_number = true;
    for ( size_t i = 0; rows && i < m->used; i++ )
    {
        row.number = rows[i]->key;
        row.series = &rows[i]->stats;
        if ( symbols )
            row.detail = symbols_text(symbols, row.number, symbol);
        tell(w, row);
    }
    row.has_number = false;
    row.detail = "others";
    row.series = m->others;
    if ( row.series )
        tell(w, row);
}

static void walk_map(const struct walk *w, const struct stats_map *m,
                     struct row row)
{
    walk_keys(w, m, row, NULL);
}

static void walk_domain(const struct walk *w, const struct summary_domain *d)
{
    for ( unsigned int i = 0; d->sched && i < DOMAIN_STATES; i++ )
        tell(w, DOMAIN(d, .table = "domain-state", .name = domain_state_name(i),
                    .series = &d->sched->state[i],
                    .open = d->sched->time.open[i]));
    if ( d->sched )
        tell(w, DOMAIN(d, .table = "domain", .name = "cycles",
                       .count = d->sched->time.elapsed));
    if ( d->name[0] )
        tell(w, DOMAIN(d, .table = "domain", .name = "name",
                       .detail = d->name, .count = 1));
    walk_memory(w, d);
    walk_keys(w, &d->emulated, DOMAIN(d, .table = "emulated-address"),
              w->request->symbols);
    walk_keys(w, &d->hit, DOMAIN(d, .table = "interrupted-address"),
              w->request->symbols);
}

/* Of all vcpus of a domain: by reason, and by what handled them. */
static void walk_exits(const struct walk *w)
{
    struct exit_report x = { 0 };
    int rc = exit_report_build(&x, w->summary);

    for ( size_t i = 0; !rc && i < x.nr; i++ )
    {
        const struct exit_report_row *r = &x.rows[i];
        bool whole = r->handler == EXIT_REPORT_WHOLE;
        char name[EXIT_REPORT_NAME], detail[SUMMARY_DETAIL_NAME];

        tell(w, ROW(r->domain, ROW_NONE, ROW_NONE,
                    .table = whole ? "domain-exit" : "domain-handler",
                    .name = exit_report_name(r->cause, name),
                    .detail = whole ? NULL
                                    : summary_detail_name(r->handler, detail),
                    .has_number = r->cause != EXIT_OTHER,
                    .number = exit_reason(r->cause), .series = &r->cost));
    }
    w->summary->pool.failed |= rc != 0;
    exit_report_fini(&x);
}

static void walk_cr3(const struct walk *w)
{
    uint32_t nr;
    struct cr3_row *const *rows = cr3_table_rows(w->summary->cr3, &nr);

    for ( uint32_t i = 0; i < nr; i++ )
    {
        const struct cr3_row *r = rows[i];
        const struct named counts[] = {
            { "switches", r->switches }, { "flushes", r->flushes },
            { "first", r->first }, { "last", r->last },
        };
        const struct { const char *name; const struct stats *s; } series[] = {
            { "total", &r->total }, { "guest", &r->guest },
            { "hypervisor", &r->xen },
        };

        for ( size_t k = 0; k < sizeof(counts) / sizeof(counts[0]); k++ )
            tell(w, ROW(r->domain, ROW_NONE, ROW_NONE, .table = "cr3",
                        .name = counts[k].name, .has_number = true,
                        .number = r->frame, .count = counts[k].count));
        for ( size_t k = 0; k < sizeof(series) / sizeof(series[0]); k++ )
            tell(w, ROW(r->domain, ROW_NONE, ROW_NONE, .table = "cr3-time",
                        .name = series[k].name, .has_number = true,
                        .number = r->frame, .series = series[k].s));
        for ( unsigned int k = CATEGORY_NONE + 1; k < CATEGORIES; k++ )
            if ( r->parts[k] )
                tell(w, ROW(r->domain, ROW_NONE, ROW_NONE, .table = "cr3-exit",
                            .name = category_name(k), .has_number = true,
                            .number = r->frame, .series = r->parts[k]));
    }
}

/* --- vcpus ---------------------------------------------------------------- */

static void walk_stays(const struct walk *w, const struct summary_vcpu *v)
{
    struct stats_row **rows = stats_map_by_key(&v->sched->stays,
                                               &w->summary->pool);

    tell(w, VCPU(v, .table = "vcpu-stay", .series = &v->sched->residency));
    for ( size_t i = 0; rows && i < v->sched->stays.used; i++ )
        tell(w, ROW(v->domain, v->id, (int64_t)rows[i]->key,
                    .table = "vcpu-stay", .series = &rows[i]->stats));
}

static void walk_sched(const struct walk *w, const struct summary_vcpu *v)
{
    const struct summary_sched *s = v->sched;

    tell(w, VCPU(v, .table = "vcpu", .name = "cycles",
                 .count = s->time.elapsed));
    tell(w, VCPU(v, .table = "vcpu", .name = "migrations",
                 .count = s->migrations));
    for ( unsigned int i = 0; i < STATES; i++ )
        tell(w, VCPU(v, .table = "vcpu-state", .name = state_name(i),
                     .series = &s->state[i], .open = s->time.open[i]));
    for ( unsigned int i = WHY_WAKE; i <= WHY_OTHER; i++ )
        tell(w, VCPU(v, .table = "vcpu-runnable", .name = why_name(i),
                     .series = &s->why[i]));
    walk_stays(w, v);
}

static void walk_exit(const struct walk *w, const struct summary_vcpu *v,
                      const struct summary_exit *x)
{
    struct stats_row **rows = stats_map_by_key(&x->details, &w->summary->pool);
    unsigned int cause = x->cause;
    bool known = cause != EXIT_OTHER;

    tell(w, VCPU(v, .table = "exit", .name = exit_name(cause),
                 .has_number = known, .number = exit_reason(cause),
                 .series = &x->cost));
    for ( size_t i = 0; rows && i < x->details.used; i++ )
    {
        char name[SUMMARY_DETAIL_NAME];

        tell(w, VCPU(v, .table = "exit-detail", .name = exit_name(cause),
                     .detail = summary_detail_name(rows[i]->key, name),
                     .has_number = known, .number = exit_reason(cause),
                     .series = &rows[i]->stats));
    }
}

static void walk_access(const struct walk *w, const struct summary_vcpu *v,
                        const char *table, const struct stats_map *m)
{
    struct stats_row **rows = stats_map_by_key(m, &w->summary->pool);

    for ( size_t i = 0; rows && i < m->used; i++ )
        tell(w, VCPU(v, .table = table,
                     .name = rows[i]->key & 1 ? "write" : "read",
                     .has_number = true, .number = rows[i]->key / 2,
                     .series = &rows[i]->stats));
}

static void walk_hvm(const struct walk *w, const struct summary_vcpu *v)
{
    tell(w, VCPU(v, .table = "vcpu", .name = "guest-cycles",
                 .count = v->hvm->guest_cycles));
    tell(w, VCPU(v, .table = "vcpu", .name = "exit-cycles",
                 .count = v->hvm->exit_cycles));
    for ( unsigned int i = 0; i < EXIT_CAUSES; i++ )
        if ( summary_exit_find(v->hvm, i) )
            walk_exit(w, v, summary_exit_find(v->hvm, i));
    walk_map(w, &v->hvm->others, VCPU(v, .table = "exit-other"));
    walk_map(w, &v->hvm->interrupts, VCPU(v, .table = "interrupt"));
    walk_access(w, v, "io", &v->hvm->io);
    walk_access(w, v, "mmio", &v->hvm->mmio);
    walk_map(w, &v->hvm->mmio_va, VCPU(v, .table = "mmio-virtual"));
    walk_map(w, &v->hvm->bars, VCPU(v, .table = "interrupted-bar"));
}

static void walk_halts(const struct walk *w, const struct summary_vcpu *v)
{
    walk_map(w, &v->halts->alone,
             VCPU(v, .table = "interrupt-to-halt", .name = "wake-alone"));
    walk_map(w, &v->halts->any,
             VCPU(v, .table = "interrupt-to-halt", .name = "wake"));
    walk_map(w, &v->halts->other,
             VCPU(v, .table = "interrupt-to-halt", .name = "awake"));
}

static void walk_pv(const struct walk *w, const struct summary_vcpu *v)
{
    for ( unsigned int i = 0; i < PV_KINDS; i++ )
        tell(w, VCPU(v, .table = "pv", .name = pv_name(i),
                     .count = v->pv->times[i]));
    for ( unsigned int i = 0; i <= SUMMARY_HYPERCALLS; i++ )
        tell(w, VCPU(v, .table = "hypercall", .name = hypercall_name(i),
                     .has_number = i < SUMMARY_HYPERCALLS, .number = i,
                     .count = v->pv->hypercalls[i]));
    for ( unsigned int i = 0; i <= SUMMARY_TRAPS; i++ )
        tell(w, VCPU(v, .table = "trap", .has_number = i < SUMMARY_TRAPS,
                     .number = i, .count = v->pv->traps[i]));
}

static void walk_vcpu(const struct walk *w, const struct summary_vcpu *v)
{
    if ( v->sched )
        walk_sched(w, v);
    if ( v->hvm )
        walk_hvm(w, v);
    if ( v->halts )
        walk_halts(w, v);
    if ( v->pv )
        walk_pv(w, v);
}

/* --- waiting -------------------------------------------------------------- */

static void walk_whos(const struct walk *w, struct latency *l,
                      const struct stats_map *m, struct row row)
{
    struct stats_row **rows = stats_map_by_sum(m, &l->pool);
    char name[LATENCY_NAME];

    for ( size_t i = 0; rows && i < m->used; i++ )
    {
        row.name = latency_name(rows[i]->key, name);
        row.series = &rows[i]->stats;
        tell(w, row);
    }
}

static void walk_waits(const struct walk *w, struct latency *l)
{
    for ( uint32_t i = 0; i < l->nr_vcpus; i++ )
    {
        const struct latency_vcpu *v = l->vcpus[i];

        for ( unsigned int why = WHY_WAKE; why <= WHY_OTHER; why++ )
            tell(w, VCPU(v, .table = "wait", .name = why_name(why),
                         .series = &v->wait[why]));
        walk_whos(w, l, &v->rivals, VCPU(v, .table = "wait-rival"));
        walk_whos(w, l, &v->preemptors, VCPU(v, .table = "wait-preemptor"));
        walk_whos(w, l, &v->wakers, VCPU(v, .table = "wait-waker"));
        tell(w, VCPU(v, .table = "wait-migrated", .count = v->migrated));
    }
}

static void walk_longest(const struct walk *w, const struct latency *l)
{
    char waker[LATENCY_NAME];

    for ( size_t i = 0; i < l->nr_worst; i++ )
    {
        const struct latency_wait *worst = &l->worst[i];

        tell(w, ROW((int64_t)worst->vcpu >> 16, worst->vcpu & 0xffff,
                    worst->pcpu, .table = "longest-wait",
                    .name = why_name(worst->why),
                    .detail = worst->why != WHY_WAKE ? NULL
                              : latency_name(worst->waker, waker),
                    .has_number = true, .number = worst->from,
                    .count = worst->to - worst->from));
    }
}

static void walk_ipis(const struct walk *w, const struct ipi_latency *ipis)
{
    for ( uint32_t i = 0; i < ipis->nr; i++ )
        walk_map(w, &ipis->vcpus[i].latency,
                 VCPU(&ipis->vcpus[i], .table = "ipi-latency"));
}

static void walk_together(const struct walk *w, const struct concurrency *t)
{
    for ( uint32_t i = 0; i < t->nr; i++ )
    {
        const struct concurrency_domain *d = &t->domains[i];

        for ( unsigned int k = 0; k <= CONCURRENCY_MAX; k++ )
            tell(w, DOMAIN(d, .table = "together", .has_number = true,
                           .number = k, .count = d->cycles[k]));
        tell(w, DOMAIN(d, .table = "together-hazard", .count = d->hazard));
        tell(w, DOMAIN(d, .table = "together-lost", .count = d->lost));
    }
}

void rows_walk(const struct rows *rows, row_fn *fn, void *state)
{
    struct summary *summary = rows->summary;
    const struct walk w = { summary, rows->request, fn, state };

    walk_trace(&w);
    for ( uint32_t i = 0; i < summary->nr_pcpus; i++ )
        walk_pcpu(&w, summary->pcpus[i]);
    for ( uint32_t i = 0; i < summary->nr_domains; i++ )
        walk_domain(&w, summary->domains[i]);
    walk_exits(&w);
    for ( uint32_t i = 0; i < summary->nr_vcpus; i++ )
        walk_vcpu(&w, summary->vcpus[i]);
    if ( summary->cr3 )
        walk_cr3(&w);
    if ( rows->ipis )
        walk_ipis(&w, rows->ipis);
    if ( !rows->latency )
        return;
    walk_waits(&w, rows->latency);
    walk_together(&w, &rows->latency->concurrency);
    walk_longest(&w, rows->latency);
}
