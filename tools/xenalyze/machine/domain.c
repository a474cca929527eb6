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

void domain_count(struct vcpu_state *v, int by)
{
    struct domain_state *d = v->vcpu->domain->machine;

    switch ( v->state )
    {
    case STATE_RUNNING: d->now.running += by; break;
    case STATE_RUNNABLE: d->now.runnable += by; break;
    case STATE_LOST: d->now.lost += by; break;
    default: d->now.blocked += by; break;
    }
}

static void tell(struct scene *s, struct world_domain *domain, uint64_t time,
                 bool last)
{
    struct domain_state *d = domain->machine;
    struct fact_domain f = {
        .domain = domain, .from = d->since, .to = time, .state = d->state,
        .last = last, .running = d->told.running,
        .runnable = d->told.runnable, .blocked = d->told.blocked,
        .lost = d->told.lost,
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
    d->state = states[!!d->now.running << 2 | !!d->now.runnable << 1 |
                      !!d->now.blocked];
    d->told = d->now;
}

void domain_end(struct scene *s, struct world_domain *domain, uint64_t last)
{
    struct domain_state *d = domain->machine;

    if ( d->known )
        tell(s, domain, last, true);
    *d = (struct domain_state){ .known = false };
}
