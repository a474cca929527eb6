/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The summary as a whole: arrays of vcpus, domains and pcpus, shards of
 * threads, begin and end of segments.
 */
#include "xenalyze/account/summary.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"
#include "common/grow.h"
#include "libxentrace/internal.h"
#include "xenalyze/account/vcpu-array.h"

#define MAX_LOSS_GAPS 10u

int summary_new(struct summary **summary, const struct summary_want *want)
{
    struct summary *b = fault_calloc(1, sizeof(*b));

    *summary = NULL;
    if ( !b )
        return -ENOMEM;
    if ( stats_top_init(&b->loss_gaps, MAX_LOSS_GAPS) )
    {
        free(b);
        return -ENOMEM;
    }
    stats_pool_init(&b->pool);
    b->want = *want;
    *summary = b;
    return 0;
}

void summary_free(struct summary *b)
{
    if ( !b )
        return;
    stats_top_fini(&b->loss_gaps);
    stats_pool_fini(&b->pool);
    free(b->vcpus);
    free(b->domains);
    free(b->pcpus);
    free(b);
}

/* --- entities ------------------------------------------------------------- */

/* Allocate entry i, zeroed and aligned to cache lines for its series. */
static void *new_entity(struct summary *b, void *array, uint32_t *nr,
                        uint32_t i, size_t size)
{
    void **at;

    assert(i >= *nr || !(*(void ***)array)[i]);
    if ( grow_to_index(array, nr, i, sizeof(*at)) )
    {
        at = *(void ***)array;
        at[i] = arena_zalloc(&b->pool.arena, size, STATS_LINE);
        if ( at[i] )
            return at[i];
    }
    b->pool.failed = true;
    return NULL;
}

struct summary_vcpu *summary_new_vcpu(struct summary *b,
                                      const struct vcpu *v)
{
    struct summary_vcpu *own = new_entity(b, &b->vcpus, &b->nr_vcpus, v->index,
                                      sizeof(*own));

    if ( own )
    {
        own->domain = v->domain->id;
        own->id = v->id;
        own->index = v->index;
    }
    return own;
}

struct summary_domain *summary_new_domain(struct summary *b,
                                          const struct domain *d)
{
    struct summary_domain *own = new_entity(b, &b->domains, &b->nr_domains,
                                        d->index,
                                        sizeof(*own));

    if ( own )
    {
        own->id = d->id;
        own->index = d->index;
    }
    return own;
}

struct summary_pcpu *summary_new_pcpu(struct summary *b, uint32_t pcpu)
{
    struct summary_pcpu *own;

    if ( pcpu > SUMMARY_MAX_PCPU )
        return NULL;
    own = new_entity(b, &b->pcpus, &b->nr_pcpus, pcpu, sizeof(*own));
    if ( !own )
        return NULL;
    own->id = pcpu;
    for ( unsigned int i = 0; i < PCPU_STATES; i++ )
        own->state[i].weighted = true;
    return own;
}

/* The most recent name wins; ties are broken by string order. */
static void update_domain_name(struct summary_domain *d, const char *name,
                               uint64_t time)
{
    if ( !name[0] || time < d->named ||
         (time == d->named && strcmp(name, d->name) < 0) )
        return;
    snprintf(d->name, sizeof(d->name), "%s", name);
    d->named = time;
}

static void summary_add_domain_name(void *state,
                                    const struct fact_domain_name *f)
{
    struct summary_domain *d = summary_get_domain(state, f->domain);

    if ( d )
        update_domain_name(d, f->name, f->time);
}

/* --- shards --------------------------------------------------------------- */

static int clone_summary(void **shard, const void *state)
{
    const struct summary *b = state;

    return summary_new((struct summary **)shard, &b->want);
}

/* What only `from` has is moved: the pool of `to` adopts that of `from`. */
static void merge_vcpu(struct summary *to, const struct summary_vcpu *from)
{
    const struct domain d = { .id = from->domain };
    const struct vcpu name = {
        .index = from->index, .id = from->id,
        .domain = (struct domain *)&d,
    };
    struct summary_vcpu *v = summary_get_vcpu(to, &name);

    assert(!from->sched && !from->halts);       /* global: not in a shard */
    assert(!v || (v->domain == from->domain && v->id == from->id));
    if ( v && v->hvm && from->hvm )
        summary_merge_hvm(to, v, from->hvm);
    else if ( v && from->hvm )
        v->hvm = from->hvm;
    if ( v && v->pv && from->pv )
        summary_merge_pv(to, v, from->pv);
    else if ( v && from->pv )
        v->pv = from->pv;
}

static void merge_domain(struct summary *to, const struct summary_domain *from)
{
    const struct domain name = { .index = from->index, .id = from->id };
    struct summary_domain *d = summary_get_domain(to, &name);

    assert(!from->sched);                       /* global: not in a shard */
    if ( !d )
        return;
    assert(d->id == from->id);
    update_domain_name(d, from->name, from->named);
    summary_merge_memory(to, d, from->memory);
    stats_map_merge(&d->emulated, &to->pool, &from->emulated);
    stats_map_merge(&d->hit, &to->pool, &from->hit);
}

static int merge_summary(void *state, void *shard)
{
    struct summary *to = state, *from = shard;
    bool failed;

    assert(to != from && !to->closed && !from->closed);
    for ( uint32_t i = 0; i < from->nr_vcpus; i++ )
        if ( from->vcpus[i] )
            merge_vcpu(to, from->vcpus[i]);
    for ( uint32_t i = 0; i < from->nr_domains; i++ )
        if ( from->domains[i] )
            merge_domain(to, from->domains[i]);
    for ( uint32_t i = 0; i < from->nr_pcpus; i++ )
        if ( from->pcpus[i] )
            summary_merge_pcpu(to, from->pcpus[i]);
    for ( unsigned int i = 0; i <= XT_HARDWARE_SVM; i++ )
        to->svm_exits[i] += from->svm_exits[i];
    to->layout_guesses += from->layout_guesses;
    failed = from->pool.failed || to->pool.failed;
    stats_pool_adopt(&to->pool, &from->pool);
    summary_free(from);
    return failed ? -ENOMEM : 0;
}

/* --- first and last ------------------------------------------------------- */

static void begin_segment(void *state, const struct fact_begin *f)
{
    struct summary *b = state;

    assert(!b->closed);
    b->hz = xt_clock_hz(f->clock);
    if ( b->segments++ == 0 )
    {
        b->first = f->first;
        b->clock = *f->clock;
    }
}

static int end_segment(void *state, const struct fact_end *f, struct err *e)
{
    struct summary *b = state;

    assert(!b->closed && b->segments);
    if ( f->last > f->first )
        b->total += f->last - f->first;
    b->records += f->records;
    b->sched_records += f->sched_records;
    b->open_exits += f->open_exits;
    for ( unsigned int i = 0; i < ANOMALY_KINDS; i++ )
        b->anomalies[i] += f->anomalies[i];
    fact_disorder_merge(&b->disorder, &f->disorder);
    b->damage = *f->damage;
    b->unwritten += f->losses->unwritten;
    b->taken += f->losses->taken;
    b->dropped += f->losses->dropped;
    b->losses_counted = f->losses->counted;
    return b->pool.failed ? err_sys(e, -ENOMEM, "cannot keep the summary") : 0;
}

#define SUMMARY_SINK                                                        \
    .name = "summary", .clone = clone_summary, .merge = merge_summary,      \
    .begin = begin_segment, .end = end_segment,                             \
    .runstate = summary_add_runstate, .domain = summary_add_domain_state,   \
    .residency = summary_add_residency,                                     \
    .wake_to_halt = summary_add_wake_to_halt, .loss = summary_add_loss,     \
    .pcpu = summary_add_pcpu_state, .volume = summary_add_volume,           \
    .exit = summary_add_exit, .handle = summary_add_handle,                 \
    .pv = summary_add_pv, .memory = summary_add_memory,                     \
    .irq = summary_add_irq, .power = summary_add_power,                     \
    .domain_name = summary_add_domain_name

struct sink summary_sink(struct summary *summary)
{
    static const struct sink_ops ops = { SUMMARY_SINK };
    static const struct sink_ops with_off_cpu = {
        SUMMARY_SINK, .exit_block = summary_add_exit_block,
    };

    return (struct sink){ summary->want.off_cpu ? &with_off_cpu : &ops,
                          summary };
}

/* --- order ---------------------------------------------------------------- */

static int compare_summary_domains(const void *a, const void *b)
{
    const struct summary_domain *x = *(struct summary_domain *const *)a;
    const struct summary_domain *y = *(struct summary_domain *const *)b;

    return (x->id > y->id) - (x->id < y->id);
}

static uint32_t remove_gaps(void **array, uint32_t nr)
{
    uint32_t n = 0;

    for ( uint32_t i = 0; i < nr; i++ )
        if ( array[i] )
            array[n++] = array[i];
    return n;
}

/*
 * Add the domains of vcpus that no domain fact mentioned.  Both arrays are
 * sorted; new domains go to the end.
 */
static int add_domains(struct summary *b)
{
    const uint32_t known = b->nr_domains;
    uint32_t n = known, at = 0;

    for ( uint32_t i = 0; i < b->nr_vcpus; i++ )
    {
        const struct domain d = { .index = n,
                                  .id = b->vcpus[i]->domain };

        assert(!i || b->vcpus[i - 1]->domain <= d.id);
        if ( i && b->vcpus[i - 1]->domain == d.id )
            continue;
        while ( at < known && b->domains[at]->id < d.id )
            at++;
        if ( at < known && b->domains[at]->id == d.id )
            continue;
        b->nr_domains = n;
        if ( !summary_get_domain(b, &d) )
            return -ENOMEM;
        n++;
    }
    b->nr_domains = n;
    return 0;
}

static void sort_domains(struct summary *b)
{
    if ( b->nr_domains )
        qsort(b->domains, b->nr_domains, sizeof(*b->domains),
              compare_summary_domains);
}

int summary_close(struct summary *b)
{
    int rc;

    assert(!b->closed);
    b->closed = true;
    vcpu_array_sort(&b->vcpus, &b->nr_vcpus);
    for ( uint32_t i = 0; i < b->nr_vcpus; i++ )
        if ( b->vcpus[i]->sched )
            summary_finish_sched(b, b->vcpus[i]->sched);
    b->nr_domains = remove_gaps((void **)b->domains, b->nr_domains);
    b->nr_pcpus = remove_gaps((void **)b->pcpus, b->nr_pcpus);
    sort_domains(b);
    rc = add_domains(b);
    sort_domains(b);
    stats_top_sort(&b->loss_gaps);
    return rc ? rc : b->pool.failed ? -ENOMEM : 0;
}
