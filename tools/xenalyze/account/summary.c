/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The book as a whole: entities by index, shards, the first and last facts.
 */
#include "xenalyze/account/summary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"
#include "xenalyze/account/grow.h"

#define HOLES 10u

int book_new(struct book **book, const struct book_want *want)
{
    struct book *b = fault_calloc(1, sizeof(*b));

    *book = NULL;
    if ( !b )
        return -ENOMEM;
    if ( stats_top_init(&b->holes, HOLES) )
    {
        free(b);
        return -ENOMEM;
    }
    stats_pool_init(&b->pool);
    b->want = *want;
    *book = b;
    return 0;
}

void book_free(struct book *b)
{
    if ( !b )
        return;
    stats_top_fini(&b->holes);
    stats_pool_fini(&b->pool);
    free(b->vcpus);
    free(b->domains);
    free(b->pcpus);
    free(b);
}

/* --- entities ------------------------------------------------------------- */

/* The i-th, of `size` bytes, zeroed; there are series in some. */
static void *entity(struct book *b, void *array, uint32_t *nr, uint32_t i,
                    size_t size)
{
    void **at;

    if ( reach_index(array, nr, i, sizeof(*at)) )
    {
        at = *(void ***)array;
        at[i] = arena_zalloc(&b->pool.arena, size, STATS_LINE);
        if ( at[i] )
            return at[i];
    }
    b->pool.failed = true;
    return NULL;
}

struct book_vcpu *book_new_vcpu(struct book *b, const struct world_vcpu *v)
{
    struct book_vcpu *own = entity(b, &b->vcpus, &b->nr_vcpus, v->index,
                                   sizeof(*own));

    if ( own )
    {
        own->domain = v->domain->id;
        own->id = v->id;
        own->index = v->index;
    }
    return own;
}

struct book_domain *book_new_domain(struct book *b,
                                    const struct world_domain *d)
{
    struct book_domain *own = entity(b, &b->domains, &b->nr_domains, d->index,
                                     sizeof(*own));

    if ( own )
    {
        own->id = d->id;
        own->index = d->index;
    }
    return own;
}

struct book_pcpu *book_new_pcpu(struct book *b, uint32_t pcpu)
{
    struct book_pcpu *own;

    if ( pcpu > BOOK_MAX_PCPU )
        return NULL;
    own = entity(b, &b->pcpus, &b->nr_pcpus, pcpu, sizeof(*own));
    if ( !own )
        return NULL;
    own->id = pcpu;
    for ( unsigned int i = 0; i < PCPU_STATES; i++ )
        own->state[i].weighted = true;
    return own;
}

/* The last name holds; of two at a time, any, but always the same. */
static void take_name(struct book_domain *d, const char *name, uint64_t time)
{
    if ( !name[0] || time < d->named ||
         (time == d->named && strcmp(name, d->name) < 0) )
        return;
    snprintf(d->name, sizeof(d->name), "%s", name);
    d->named = time;
}

static void book_named(void *state, const struct fact_named *f)
{
    struct book_domain *d = book_domain(state, f->domain);

    if ( d )
        take_name(d, f->name, f->time);
}

/* --- shards --------------------------------------------------------------- */

static int clone_book(void **shard, const void *state)
{
    const struct book *b = state;

    return book_new((struct book **)shard, &b->want);
}

static void merge_vcpu(struct book *to, const struct book_vcpu *from)
{
    const struct world_domain d = { .id = from->domain };
    const struct world_vcpu name = {
        .index = from->index, .id = from->id,
        .domain = (struct world_domain *)&d,
    };
    struct book_vcpu *v = book_vcpu(to, &name);

    if ( v && from->hvm )
        book_merge_hvm(to, v, from->hvm);
    if ( v && from->pv )
        book_merge_pv(to, v, from->pv);
}

static void merge_domain(struct book *to, const struct book_domain *from)
{
    const struct world_domain name = { .index = from->index, .id = from->id };
    struct book_domain *d = book_domain(to, &name);

    if ( !d )
        return;
    take_name(d, from->name, from->named);
    book_merge_memory(&d->memory, &from->memory);
    stats_map_merge(&d->emulated, &to->pool, &from->emulated);
    stats_map_merge(&d->hit, &to->pool, &from->hit);
}

static int merge_book(void *state, void *shard)
{
    struct book *to = state, *from = shard;
    bool failed;

    for ( uint32_t i = 0; i < from->nr_vcpus; i++ )
        if ( from->vcpus[i] )
            merge_vcpu(to, from->vcpus[i]);
    for ( uint32_t i = 0; i < from->nr_domains; i++ )
        if ( from->domains[i] )
            merge_domain(to, from->domains[i]);
    for ( uint32_t i = 0; i < from->nr_pcpus; i++ )
        if ( from->pcpus[i] )
            book_merge_pcpu(to, from->pcpus[i]);
    failed = from->pool.failed || to->pool.failed;
    book_free(from);
    return failed ? -ENOMEM : 0;
}

/* --- first and last ------------------------------------------------------- */

static void begin_segment(void *state, const struct fact_begin *f)
{
    struct book *b = state;

    b->hz = xt_clock_hz(f->clock);
    if ( b->segments++ == 0 )
    {
        b->first = f->first;
        b->clock = *f->clock;
    }
}

static int end_segment(void *state, const struct fact_end *f, struct err *e)
{
    struct book *b = state;

    if ( f->last > f->first )
        b->total += f->last - f->first;
    b->records += f->records;
    b->open_exits += f->open_exits;
    for ( unsigned int i = 0; i < STRANGE_KINDS; i++ )
        b->strange[i] += f->strange[i];
    b->damage = *f->damage;
    return b->pool.failed ? err_sys(e, -ENOMEM, "cannot keep the summary") : 0;
}

struct sink book_sink(struct book *book)
{
    static const struct sink_ops ops = {
        .name = "book",
        .clone = clone_book,
        .merge = merge_book,
        .begin = begin_segment,
        .end = end_segment,
        .runstate = book_runstate,
        .domain = book_domain_state,
        .stay = book_stay,
        .halt = book_halt,
        .loss = book_loss,
        .pcpu = book_pcpu_state,
        .volume = book_volume,
        .exit = book_exit,
        .handle = book_handle,
        .pv = book_pv,
        .memory = book_memory,
        .irq = book_irq,
        .power = book_power,
        .named = book_named,
    };

    return (struct sink){ &ops, book };
}

/* --- order ---------------------------------------------------------------- */

static int by_vcpu(const void *a, const void *b)
{
    const struct book_vcpu *x = *(struct book_vcpu *const *)a;
    const struct book_vcpu *y = *(struct book_vcpu *const *)b;

    if ( x->domain != y->domain )
        return x->domain < y->domain ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

static int by_domain(const void *a, const void *b)
{
    const struct book_domain *x = *(struct book_domain *const *)a;
    const struct book_domain *y = *(struct book_domain *const *)b;

    return (x->id > y->id) - (x->id < y->id);
}

static uint32_t close_gaps(void **array, uint32_t nr)
{
    uint32_t n = 0;

    for ( uint32_t i = 0; i < nr; i++ )
        if ( array[i] )
            array[n++] = array[i];
    return n;
}

/*
 * A vcpu whose domain no fact was about has one all the same.  Both are
 * sorted; new ones go to the end.
 */
static int add_domains(struct book *b)
{
    const uint32_t known = b->nr_domains;
    uint32_t n = known, at = 0;

    for ( uint32_t i = 0; i < b->nr_vcpus; i++ )
    {
        const struct world_domain d = { .index = n,
                                        .id = b->vcpus[i]->domain };

        if ( i && b->vcpus[i - 1]->domain == d.id )
            continue;
        while ( at < known && b->domains[at]->id < d.id )
            at++;
        if ( at < known && b->domains[at]->id == d.id )
            continue;
        b->nr_domains = n;
        if ( !book_domain(b, &d) )
            return -ENOMEM;
        n++;
    }
    b->nr_domains = n;
    return 0;
}

static void sort_domains(struct book *b)
{
    if ( b->nr_domains )
        qsort(b->domains, b->nr_domains, sizeof(*b->domains), by_domain);
}

int book_close(struct book *b)
{
    int rc;

    b->nr_vcpus = close_gaps((void **)b->vcpus, b->nr_vcpus);
    for ( uint32_t i = 0; i < b->nr_vcpus; i++ )
        if ( b->vcpus[i]->sched )
            book_sum(b, b->vcpus[i]->sched);
    b->nr_domains = close_gaps((void **)b->domains, b->nr_domains);
    b->nr_pcpus = close_gaps((void **)b->pcpus, b->nr_pcpus);
    if ( b->nr_vcpus )
        qsort(b->vcpus, b->nr_vcpus, sizeof(*b->vcpus), by_vcpu);
    sort_domains(b);
    rc = add_domains(b);
    sort_domains(b);
    stats_top_sort(&b->holes);
    return rc ? rc : b->pool.failed ? -ENOMEM : 0;
}
