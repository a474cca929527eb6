/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a domain does is what its vcpus do: a table over which of three kinds
 * there are among them.  What is lost does not count while anything is known.
 */
#include "xenalyze/machine/scene.h"

static const uint8_t states[8] = {
    DOMAIN_LOST,
    DOMAIN_BLOCKED,                     /* 1: some sleep */
    DOMAIN_FULL_CONTENTION,             /* 2: some wait */
    DOMAIN_PARTIAL_CONTENTION,
    DOMAIN_FULL_RUN,                    /* 4: some run */
    DOMAIN_PARTIAL_RUN,
    DOMAIN_CONCURRENCY_HAZARD,
    DOMAIN_CONCURRENCY_HAZARD,
};

static const uint8_t counted_as[STATES] = {
    [STATE_RUNNING] = RUN, [STATE_RUNNABLE] = WAIT, [STATE_BLOCKED] = SLEEP,
    [STATE_OFFLINE] = SLEEP, [STATE_LOST] = LOSE, [STATE_QUEUED] = SLEEP,
    [STATE_INIT] = SLEEP,
};

static inline void tell(struct scene *s, const struct world_domain *domain,
                        uint64_t time, bool last)
{
    const struct domain_state *d = domain->machine;
    struct fact_domain f = {
        .domain = domain, .from = d->since, .to = time,
        .state = states[!!d->nr[RUN] << 2 | !!d->nr[WAIT] << 1 |
                        !!d->nr[SLEEP]],
        .last = last, .running = d->nr[RUN], .runnable = d->nr[WAIT],
        .blocked = d->nr[SLEEP], .lost = d->nr[LOSE], .ended = d->ended,
    };

    emit_domain(&s->emit, &f);
}

/* It is about to change: tell what it was until now. */
static inline struct domain_state *until_now(struct scene *s,
                                             const struct vcpu_state *v,
                                             uint64_t time)
{
    const struct world_domain *domain = v->vcpu->domain;
    struct domain_state *d = domain->machine;

    if ( d->known && time < d->since )
        time = d->since;
    if ( d->known )
        tell(s, domain, time, false);
    d->known = true;
    d->since = time;
    return d;
}

void domain_enter(struct scene *s, const struct vcpu_state *v,
                  unsigned int state, uint64_t time)
{
    struct domain_state *d = until_now(s, v, time);

    d->nr[counted_as[v->state]]--;
    d->nr[counted_as[state]]++;
    d->ended += v->ending - v->ended;
}

void domain_ripen(struct scene *s, const struct vcpu_state *v)
{
    struct domain_state *d = until_now(s, v, v->since);

    d->nr[counted_as[v->state]]++;
    d->ended += v->ended;
}

void domain_end(struct scene *s, struct world_domain *domain, uint64_t last)
{
    struct domain_state *d = domain->machine;

    if ( d->known )
        tell(s, domain, last, true);
    *d = (struct domain_state){ .known = false };
}
