/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A domain's state is a fact at its end, so the exits and yields during the
 * state come before.
 */
#include "xenalyze/account/co-stop.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "common/debug.h"
#include "common/grow.h"

#define SPIN_RATIO 5u           /* rate in co-stop to rate elsewhere */
#define SPINS_PER_SECOND 1000u  /* least rate in co-stop */
#define SECOND_NS 1000000000u

void co_stops_fini(struct co_stops *c)
{
    free(c->domains);
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
static void add_co_stop(struct co_stop_domain *d, const struct fact_domain *f)
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

static void co_stop_add_domain(void *state, const struct fact_domain *f)
{
    struct co_stop_domain *d = get_co_stop(state, f->domain);

    debug_assert(f->state < DOMAIN_STATES);
    if ( !d || f->from > f->to )
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

void co_stops_close(struct co_stops *c)
{
    uint32_t nr = 0;

    for ( uint32_t i = 0; i < c->nr_domains; i++ )
        if ( c->domains[i].is_seen )
            c->domains[nr++] = c->domains[i];
    c->nr_domains = nr;
    if ( nr )
        qsort(c->domains, nr, sizeof(*c->domains), compare_co_stops);
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
