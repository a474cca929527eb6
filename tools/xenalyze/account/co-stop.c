/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A domain's state is a fact at its end, so the exits and yields during the
 * state come before.
 */
#include "xenalyze/account/co-stop.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "common/compiler.h"
#include "common/debug.h"
#include "common/grow.h"

#define SPIN_RATIO 5u           /* rate in co-stop to rate elsewhere */
#define SPINS_PER_SECOND 1000u  /* least rate in co-stop */
#define SECOND_NS 1000000000u

void co_stops_fini(struct co_stops *c)
{
    free(c->domains);
    free(c->vcpus);
}

static struct co_stop_domain *get_co_stop(struct co_stops *c,
                                          const struct domain *d)
{
    struct co_stop_domain *own;

    if ( !grow_to_index(&c->domains, &c->nr_domains, d->index,
                        sizeof(*c->domains)) )
    {
        c->failed = true;
        return NULL;
    }
    own = &c->domains[d->index];
    own->id = d->id;
    return own;
}

/* --- spinning ------------------------------------------------------------- */

static void note_spinner(struct co_stops *c, struct co_stop_domain *d,
                         const struct vcpu *v, uint64_t time)
{
    struct co_stop_vcpu *own;

    if ( !grow_to_index(&c->vcpus, &c->nr_vcpus, v->index,
                        sizeof(*c->vcpus)) )
    {
        c->failed = true;
        return;
    }
    own = &c->vcpus[v->index];
    own->is_seen = true;
    own->domain = v->domain->id;
    own->id = v->id;
    own->recent++;
    if ( own->is_spinning )
        return;
    own->is_spinning = true;
    own->since = time;
    own->next = d->spinners;
    d->spinners = v->index + 1;
}

static void note_spin(struct co_stops *c, const struct vcpu *v, uint64_t time)
{
    struct co_stop_domain *d;

    if ( !v || vcpu_is_idle(v) )
        return;
    d = get_co_stop(c, v->domain);
    if ( !d )
        return;
    if ( !d->recent++ )
        d->first_spin = time;
    note_spinner(c, d, v, time);
}

/* Account the span `f`; false: the vcpu no longer spins. */
static bool end_span_of_spin(struct co_stop_vcpu *v,
                             const struct fact_domain *f)
{
    uint64_t from = v->since > f->from ? v->since : f->from;

    if ( f->state != DOMAIN_CONCURRENCY_HAZARD || !v->recent )
        return false;
    v->spins += v->recent;
    v->recent = 0;
    if ( from < f->to )
        v->spun += f->to - from;
    v->since = f->to;
    return true;
}

/* Keep the vcpus that may go on to spin in the next span. */
NOINLINE
static void end_span_of_spinners(struct co_stops *c, struct co_stop_domain *d,
                                 const struct fact_domain *f)
{
    uint32_t next = d->spinners;

    d->spinners = 0;
    while ( next )
    {
        uint32_t own = next;
        struct co_stop_vcpu *v = &c->vcpus[own - 1];

        debug_assert(own <= c->nr_vcpus && v->is_spinning);
        next = v->next;
        v->is_spinning = end_span_of_spin(v, f);
        v->recent = 0;
        if ( !v->is_spinning )
            continue;
        v->next = d->spinners;
        d->spinners = own;
    }
}

static void co_stop_add_exit(void *state, const struct fact_exit *f)
{
    if ( exit_is_pause(f->hardware, f->reason) )
        note_spin(state, f->vcpu, f->start);
}

static enum fact_event_need co_stop_needs_event(uint32_t event)
{
    return event == TRC_SCHED_YIELD ? NEED_EVENT : NEED_NO_EVENT;
}

static void co_stop_add_event(void *state, const struct fact_event *f)
{
    if ( f->record->event == TRC_SCHED_YIELD )
        note_spin(state, f->vcpu, f->time);
}

/* --- states of domains ---------------------------------------------------- */

static void keep_longest_co_stop(struct co_stop_domain *d)
{
    if ( d->until - d->from > d->worst_to - d->worst_from )
    {
        d->worst_from = d->from;
        d->worst_to = d->until;
    }
}

/* Consecutive facts may have the same state. */
static inline void add_co_stop(struct co_stop_domain *d,
                               const struct fact_domain *f)
{
    bool is_continued = d->until == f->from && d->from < d->until;
    uint64_t spun_from = f->from;

    if ( !is_continued )
    {
        d->from = f->from;
        d->is_spinning = false;
    }
    d->until = f->to;
    d->spins += d->recent;
    if ( !d->is_spinning && d->recent && d->first_spin > f->from )
        spun_from = d->first_spin < f->to ? d->first_spin : f->to;
    d->is_spinning |= d->recent != 0;
    if ( d->is_spinning )
        d->spun += f->to - spun_from;
    keep_longest_co_stop(d);
}

/* The domain has an entry. */
static inline void co_stop_domain_fast(struct co_stops *c,
                                       const struct fact_domain *f)
{
    struct co_stop_domain *d = &c->domains[f->domain->index];

    debug_assert(f->state < DOMAIN_STATES);
    if ( f->from > f->to )
        return;
    d->is_seen = true;
    if ( f->nr_vcpus > d->nr_vcpus )
        d->nr_vcpus = f->nr_vcpus;
    d->times[f->state] += f->to - f->from;
    if ( f->state == DOMAIN_CONCURRENCY_HAZARD )
        add_co_stop(d, f);
    else
        d->spins_elsewhere += d->recent;
    d->recent = 0;
    if ( d->spinners )
        end_span_of_spinners(c, d, f);
}

COLD
static void co_stop_domain_slow(struct co_stops *c, const struct fact_domain *f)
{
    if ( get_co_stop(c, f->domain) )
        co_stop_domain_fast(c, f);
}

static void co_stop_add_domain(void *state, const struct fact_domain *f)
{
    struct co_stops *c = state;

    if ( f->domain->index < c->nr_domains &&
         c->domains[f->domain->index].is_seen )
        co_stop_domain_fast(c, f);
    else
        co_stop_domain_slow(c, f);
}

/* --- segments ------------------------------------------------------------- */

static void co_stop_begin(void *state, const struct fact_begin *f)
{
    struct co_stops *c = state;

    if ( !f->segment )
        c->clock = *f->clock;
}

/* Times of the next segment cannot be compared. */
static int co_stop_end(void *state, const struct fact_end *f, struct err *e)
{
    struct co_stops *c = state;

    (void)f;
    for ( uint32_t i = 0; i < c->nr_domains; i++ )
    {
        c->domains[i].from = c->domains[i].until = 0;
        c->domains[i].recent = 0;
        c->domains[i].spinners = 0;
    }
    for ( uint32_t i = 0; i < c->nr_vcpus; i++ )
    {
        c->vcpus[i].is_spinning = false;
        c->vcpus[i].recent = 0;
    }
    return c->failed ? err_sys(e, -ENOMEM, "cannot keep states of domains")
                     : 0;
}

struct sink co_stops_sink(struct co_stops *c)
{
    static const struct sink_ops ops = {
        .name = "co-stop", .ordered = true, .begin = co_stop_begin,
        .end = co_stop_end, .domain = co_stop_add_domain,
        .exit = co_stop_add_exit, .event = co_stop_add_event,
        .exit_needs = NEED_PAUSE_EXITS, .needs_event = co_stop_needs_event,
    };

    return (struct sink){ &ops, c };
}

/* --- numbers -------------------------------------------------------------- */

static int compare_co_stops(const void *a, const void *b)
{
    const struct co_stop_domain *x = a, *y = b;

    return (int)x->id - (int)y->id;
}

static int compare_spinners(const void *a, const void *b)
{
    const struct co_stop_vcpu *x = a, *y = b;

    return x->domain != y->domain ? (int)x->domain - (int)y->domain
                                  : (int)x->id - (int)y->id;
}

static void close_spinners(struct co_stops *c)
{
    uint32_t nr = 0;

    for ( uint32_t i = 0; i < c->nr_vcpus; i++ )
        if ( c->vcpus[i].is_seen )
            c->vcpus[nr++] = c->vcpus[i];
    c->nr_vcpus = nr;
    if ( nr )
        qsort(c->vcpus, nr, sizeof(*c->vcpus), compare_spinners);
}

void co_stops_close(struct co_stops *c)
{
    uint32_t nr = 0;

    for ( uint32_t i = 0; i < c->nr_domains; i++ )
        if ( c->domains[i].is_seen )
            c->domains[nr++] = c->domains[i];
    c->nr_domains = nr;
    if ( nr )
        qsort(c->domains, nr, sizeof(*c->domains), compare_co_stops);
    close_spinners(c);
}

const struct co_stop_domain *co_stops_find(const struct co_stops *c,
                                           uint16_t domain)
{
    struct co_stop_domain key = { .id = domain };

    return c->nr_domains ? bsearch(&key, c->domains, c->nr_domains,
                                   sizeof(key), compare_co_stops) : NULL;
}

uint64_t co_stop_known_time(const struct co_stop_domain *d)
{
    uint64_t sum = 0;

    for ( unsigned int i = 0; i < DOMAIN_LOST; i++ )
        sum += d->times[i];
    return sum;
}

/* Rates are compared as products, to avoid divisions by 0. */
bool co_stop_has_spun(const struct co_stops *c,
                      const struct co_stop_domain *d)
{
    uint64_t in = d->times[DOMAIN_CONCURRENCY_HAZARD];
    uint64_t out = co_stop_known_time(d) - in;
    double ns = (double)xt_clock_duration(&c->clock, in);

    assert(d->spun <= in);
    return (double)d->spins * SECOND_NS > SPINS_PER_SECOND * ns &&
           (double)d->spins * (double)out >
           SPIN_RATIO * (double)d->spins_elsewhere * (double)in;
}

const struct co_stop_vcpu *co_stops_find_spinner(const struct co_stops *c,
                                                 uint16_t domain, uint16_t id)
{
    const struct co_stop_domain *d = co_stops_find(c, domain);
    struct co_stop_vcpu key = { .domain = domain, .id = id };
    const struct co_stop_vcpu *v =
        c->nr_vcpus ? bsearch(&key, c->vcpus, c->nr_vcpus, sizeof(key),
                              compare_spinners) : NULL;

    return v && v->spun && d && co_stop_has_spun(c, d) ? v : NULL;
}
