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

void domain_count(struct vcpu_state *v, int by)
{
    struct domain_state *d = v->vcpu->domain->machine;

    d->now.nr[counted_as[v->state]] += by;
    if ( v->ended )
        d->now.ended += by;
}

static void tell(struct scene *s, struct world_domain *domain, uint64_t time,
                 bool last)
{
    struct domain_state *d = domain->machine;
    struct fact_domain f = {
        .domain = domain, .from = d->since, .to = time, .state = d->state,
        .last = last, .running = d->told.nr[RUN],
        .runnable = d->told.nr[WAIT], .blocked = d->told.nr[SLEEP],
        .lost = d->told.nr[LOSE], .ended = d->told.ended,
    };

    emit_domain(&s->emit, &f);
}

void domain_update(struct scene *s, struct world_domain *domain,
                   uint64_t time)
{
    struct domain_state *d = domain->machine;

    if ( d->known && time < d->since )
        time = d->since;
    if ( d->known )
        tell(s, domain, time, false);
    d->known = true;
    d->since = time;
    d->state = states[!!d->now.nr[RUN] << 2 | !!d->now.nr[WAIT] << 1 |
                      !!d->now.nr[SLEEP]];
    d->told = d->now;
}

void domain_end(struct scene *s, struct world_domain *domain, uint64_t last)
{
    struct domain_state *d = domain->machine;

    if ( d->known )
        tell(s, domain, last, true);
    *d = (struct domain_state){ .known = false };
}
