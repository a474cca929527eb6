/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sink of complete and open waits, which are global facts: a single thread, in
 * order of time.
 */
#include "xenalyze/account/latency.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/debug.h"
#include "common/fault.h"
#include "common/grow.h"
#include "xenalyze/account/vcpu-array.h"

_Static_assert(sizeof(((struct latency_vcpu *)0)->wait) ==
               (WHY_OTHER + 1) * sizeof(struct stats), "a series per cause");

int latency_new(struct latency **out, size_t top)
{
    struct latency *l = fault_calloc(1, sizeof(*l));

    *out = NULL;
    if ( l && top )
        l->worst = fault_calloc(top, sizeof(*l->worst));
    if ( !l || (top && !l->worst) )
    {
        free(l);
        return -ENOMEM;
    }
    l->room = top;
    stats_pool_init(&l->pool);
    *out = l;
    return 0;
}

void latency_free(struct latency *l)
{
    if ( !l )
        return;
    stats_pool_fini(&l->pool);
    free(l->vcpus);
    free(l->opens);
    free(l->worst);
    concurrency_fini(&l->concurrency);
    free(l);
}

static struct latency_vcpu *get_latency_vcpu(struct latency *l,
                                             const struct vcpu *v)
{
    return vcpu_array_get(&l->vcpus, &l->nr_vcpus, v, &l->pool.arena,
                          sizeof(struct latency_vcpu),
                          _Alignof(struct latency_vcpu), &l->pool.failed);
}

/* All idle vcpus share a key. */
static uint64_t make_vcpu_key(const struct vcpu *v)
{
    if ( !v )
        return LATENCY_UNKNOWN;
    return vcpu_is_idle(v) ? LATENCY_IDLE
                            : LATENCY_KEY(v->domain->id, v->id);
}

static bool is_worse(const struct fact_wait *a, const struct latency_wait *b)
{
    if ( a->to - a->from != b->to - b->from )
        return a->to - a->from > b->to - b->from;
    return a->from < b->from;
}

static void insert_rival(struct latency_wait *w, const struct fact_rival *rival)
{
    unsigned int i = w->nr_rivals++;

    debug_assert(i < FACT_RIVALS);
    for ( ; i && rival->cycles > w->rivals[i - 1].cycles; i-- )
        w->rivals[i] = w->rivals[i - 1];
    w->rivals[i].key = make_vcpu_key(rival->vcpu);
    w->rivals[i].cycles = rival->cycles;
}

static void insert_worst(struct latency *l, const struct fact_wait *f,
                         bool no_begin, bool no_end)
{
    size_t i = l->nr_worst;

    debug_assert(i <= l->room);
    if ( !l->room ||
         (i == l->room && !is_worse(f, &l->worst[i - 1])) )
        return;
    if ( i == l->room )
        i--;
    else
        l->nr_worst++;
    for ( ; i && is_worse(f, &l->worst[i - 1]); i-- )
        l->worst[i] = l->worst[i - 1];
    l->worst[i] = (struct latency_wait){
        .from = f->from, .to = f->to, .vcpu = make_vcpu_key(f->vcpu),
        .waker = make_vcpu_key(f->waker), .pcpu = f->pcpu, .reason = f->why,
        .others = f->others, .unknown = f->unknown,
        .no_begin = no_begin, .no_end = no_end,
    };
    for ( unsigned int k = 0; k < f->nr_rivals; k++ )
        insert_rival(&l->worst[i], &f->rivals[k]);
}

static void note_rest(struct latency_rivals *r, const struct fact_wait *f)
{
    r->others += f->others;
    r->unknown += f->unknown;
}

static void note_wait(void *state, const struct fact_wait *f)
{
    struct latency *l = state;
    struct latency_vcpu *v = vcpu_is_idle(f->vcpu)
                             ? NULL : get_latency_vcpu(l, f->vcpu);

    debug_assert(!l->closed);
    debug_assert(f->why <= WHY_OTHER && f->nr_rivals <= FACT_RIVALS);
    if ( !v )
        return;
    stats_add(&v->wait[f->why], &l->pool, f->to - f->from, f->from);
    for ( unsigned int i = 0; i < f->nr_rivals; i++ )
    {
        uint64_t key = make_vcpu_key(f->rivals[i].vcpu);

        stats_map_add(&v->rivals.vcpus, &l->pool, key, f->rivals[i].cycles,
                      f->from);
        if ( f->why == WHY_PREEMPT )
            stats_map_add(&v->preemptors.vcpus, &l->pool, key,
                          f->rivals[i].cycles, f->from);
    }
    note_rest(&v->rivals, f);
    if ( f->why == WHY_PREEMPT )
        note_rest(&v->preemptors, f);
    if ( f->why == WHY_WAKE )
        stats_map_add(&v->wakers, &l->pool, make_vcpu_key(f->waker), 0,
                      f->from);
    v->migrated += f->pcpu != f->pcpu_before &&
                   f->pcpu_before != FACT_NO_PCPU;
    insert_worst(l, f, false, false);
}

static struct latency_open *get_latency_open(struct latency *l,
                                             const struct vcpu *v)
{
    return vcpu_array_get(&l->opens, &l->nr_opens, v, &l->pool.arena,
                          sizeof(struct latency_open),
                          _Alignof(struct latency_open), &l->pool.failed);
}

static void note_open_wait(void *state, const struct fact_open_wait *f)
{
    struct latency *l = state;
    const struct fact_wait *w = &f->wait;
    struct latency_open *o = vcpu_is_idle(w->vcpu)
                             ? NULL : get_latency_open(l, w->vcpu);
    uint64_t cycles = w->to - w->from;

    debug_assert(!l->closed && w->from <= w->to);
    debug_assert(f->no_begin || f->no_end);
    if ( !o )
        return;
    o->times++;
    o->no_begin += f->no_begin;
    o->no_end += f->no_end;
    o->cycles += cycles;
    if ( cycles > o->max )
    {
        o->max = cycles;
        o->max_at = w->from;
    }
    insert_worst(l, w, f->no_begin, f->no_end);
}

static void latency_begin(void *state, const struct fact_begin *f)
{
    struct latency *l = state;

    assert(!l->closed);
    if ( f->segment == 0 )
        l->clock = *f->clock;
}

static int latency_end(void *state, const struct fact_end *f, struct err *e)
{
    struct latency *l = state;

    (void)f;
    return l->pool.failed ? err_sys(e, -ENOMEM, "cannot keep the waits") : 0;
}

struct sink latency_sink(struct latency *l)
{
    static const struct sink_ops ops = {
        .name = "latency",
        .begin = latency_begin, .end = latency_end, .wait = note_wait,
        .open_wait = note_open_wait,
    };

    return (struct sink){ &ops, l };
}

static void close_rivals(struct latency_rivals *r)
{
    if ( r->vcpus.others )
        r->others += r->vcpus.others->sum;
}

/* --- domains -------------------------------------------------------------- */

#define DOMAINS (1u << 16)

/* Sums of one waiting domain, by domain; zeroed in between. */
struct domain_sums
{
    uint64_t cycles[DOMAINS];
    uint16_t used[DOMAINS];     /* the domains with cycles */
    size_t nr;
};

static void add_rivals(struct domain_sums *sums, struct latency *l,
                       struct latency_domain *d,
                       const struct latency_rivals *r)
{
    struct stats_row **rows = stats_map_by_sum(&r->vcpus, &l->pool);

    d->others += r->others;
    d->unknown += r->unknown;
    for ( size_t i = 0; rows && i < r->vcpus.used; i++ )
    {
        uint16_t id = (uint16_t)(rows[i]->key >> 16);

        if ( rows[i]->key == LATENCY_UNKNOWN )
            d->unknown += rows[i]->stats.sum;
        else if ( rows[i]->stats.sum )
        {
            if ( !sums->cycles[id] )
                sums->used[sums->nr++] = id;
            sums->cycles[id] += rows[i]->stats.sum;
        }
    }
}

static int compare_domain_rivals(const void *a, const void *b)
{
    const struct latency_domain_rival *x = a, *y = b;

    if ( x->cycles != y->cycles )
        return x->cycles > y->cycles ? -1 : 1;
    return (int)x->id - y->id;
}

/* Move the sums to the domain. */
static void take_rivals(struct domain_sums *sums, struct latency *l,
                        struct latency_domain *d)
{
    assert(sums->nr <= DOMAINS);
    d->rivals = arena_array(&l->pool.arena, sums->nr + 1, sizeof(*d->rivals),
                            8);
    l->pool.failed |= !d->rivals;
    for ( size_t i = 0; i < sums->nr; i++ )
    {
        uint16_t id = sums->used[i];

        if ( d->rivals )
            d->rivals[d->nr_rivals++] = (struct latency_domain_rival){
                id, sums->cycles[id] };
        sums->cycles[id] = 0;
    }
    sums->nr = 0;
    if ( d->nr_rivals )
        qsort(d->rivals, d->nr_rivals, sizeof(*d->rivals),
              compare_domain_rivals);
}

uint64_t latency_vcpu_waited(const struct latency_vcpu *v)
{
    return v->wait[WHY_WAKE].sum + v->wait[WHY_PREEMPT].sum +
           v->wait[WHY_OTHER].sum;
}

/* The vcpus are sorted by domain. */
static void sum_domains(struct latency *l)
{
    struct domain_sums *sums = fault_calloc(1, sizeof(*sums));

    l->domains = arena_array(&l->pool.arena, l->nr_vcpus + 1,
                             sizeof(*l->domains), 8);
    l->pool.failed |= !sums || !l->domains;
    for ( uint32_t i = 0; !l->pool.failed && i < l->nr_vcpus; )
    {
        struct latency_domain *d = &l->domains[l->nr_domains++];

        *d = (struct latency_domain){ .id = l->vcpus[i]->domain };
        for ( ; i < l->nr_vcpus && l->vcpus[i]->domain == d->id; i++ )
        {
            d->waited += latency_vcpu_waited(l->vcpus[i]);
            add_rivals(sums, l, d, &l->vcpus[i]->rivals);
        }
        take_rivals(sums, l, d);
    }
    free(sums);
}

void latency_close(struct latency *l)
{
    assert(!l->closed);
    l->closed = true;
    concurrency_close(&l->concurrency);
    vcpu_array_sort(&l->vcpus, &l->nr_vcpus);
    vcpu_array_sort(&l->opens, &l->nr_opens);
    for ( uint32_t i = 0; i < l->nr_vcpus; i++ )
    {
        close_rivals(&l->vcpus[i]->rivals);
        close_rivals(&l->vcpus[i]->preemptors);
    }
    sum_domains(l);
}

const char *latency_open_text(const struct latency_wait *w)
{
    assert(w->from <= w->to);
    if ( w->no_begin && w->no_end )
        return "no begin or end";
    return w->no_begin ? "no begin" : w->no_end ? "no end" : NULL;
}

const char *latency_name(uint64_t key, char name[LATENCY_NAME])
{
    if ( key == LATENCY_UNKNOWN )
        snprintf(name, LATENCY_NAME, "unknown");
    else if ( key == LATENCY_IDLE )
        snprintf(name, LATENCY_NAME, "idle");
    else
        snprintf(name, LATENCY_NAME, "d%" PRIu64 "v%" PRIu64, key >> 16,
                 key & 0xffff);
    return name;
}

const char *latency_label(const struct xt_domain_names *names, uint64_t key,
                          unsigned int width, char name[LATENCY_NAME])
{
    unsigned int domain = (unsigned int)(key >> 16), vcpu = key & 0xffff;

    if ( !names || key == LATENCY_UNKNOWN || key == LATENCY_IDLE )
        return latency_name(key, name);
    return width ? xt_vcpu_column(names, domain, vcpu, width, name)
                 : xt_vcpu_label(names, domain, vcpu, name);
}
