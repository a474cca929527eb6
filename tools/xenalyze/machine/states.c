/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The beginning and the end of what states.h does all the time.
 */
#include "xenalyze/machine/states.h"

#include <string.h>

void domain_ripen(struct scene *s, const struct vcpu_state *v)
{
    struct domain_state *d = v->domain;

    domain_until_now(s, d, v->is.from);
    d->is.nr_vcpus++;
    domain_count(&d->is, census[v->is.state]);
    d->is.ended += v->ended;
}

void domain_end(struct scene *s, struct world_domain *domain, uint64_t last)
{
    struct domain_state *d = domain->machine;

    d->is.to = last;
    d->is.last = true;
    if ( d->known )
        emit_domain(&s->emit, &d->is);
    memset(d, 0, sizeof(*d));
}

void vcpu_tell(struct scene *s, struct vcpu_state *v, unsigned int next,
               uint64_t time, uint32_t pcpu)
{
    vcpu_tell_next(s, v, next, WHY_NONE, time, pcpu);
}

void vcpu_note_end(struct vcpu_state *v)
{
    if ( !v->is.early )
        v->domain->is.ended += v->ending - v->ended;
    v->ended = v->ending;
    v->ending = false;
}

void vcpu_enter(struct scene *s, struct vcpu_state *v, unsigned int state,
                uint64_t time, uint32_t pcpu)
{
    vcpu_enters(s, v, state, time, pcpu);
}
