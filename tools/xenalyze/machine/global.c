/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The beginning and the end of a segment.  Time goes on behind a boundary as
 * if nothing had been before it, so whoever is known is forgotten.
 */
#include "xenalyze/machine/global.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"

void scene_begin(struct scene *s, uint64_t first)
{
    s->first = s->certain = first;
    s->lost_pcpus = 0;
    s->sleepers = NULL;
    memset(s->anomalies, 0, sizeof(s->anomalies));
    for ( unsigned int i = 0; i < s->nr_pcpus; i++ )
        s->pcpus[i] = (struct scene_pcpu){ .past = s->pcpus[i].past };
}

static int grow(struct scene *s, unsigned int nr)
{
    struct scene_pcpu *pcpus = fault_realloc(s->pcpus, nr * sizeof(*pcpus));

    if ( !pcpus )
        return -ENOMEM;
    memset(pcpus + s->nr_pcpus, 0, (nr - s->nr_pcpus) * sizeof(*pcpus));
    s->pcpus = pcpus;
    s->nr_pcpus = nr;
    return 0;
}

int scene_pcpu_begins(struct scene *s, unsigned int pcpu, uint64_t first)
{
    struct scene_pcpu *p;

    if ( pcpu >= s->nr_pcpus && grow(s, pcpu + 1) )
        return -ENOMEM;
    p = &s->pcpus[pcpu];
    p->first = first;
    if ( !p->past && emit_wants_wait(&s->emit) )
    {
        p->past = fault_malloc(PAST * sizeof(*p->past));
        if ( !p->past )
            return -ENOMEM;
    }
    return 0;
}

static void end_vcpu(struct scene *s, struct vcpu *vcpu, uint64_t last)
{
    struct vcpu_state *v = vcpu_state(vcpu);
    struct fact_residency residency = {
        .vcpu = vcpu, .from = v->placed_at, .to = last, .pcpu = v->is.pcpu,
        .next = FACT_NO_PCPU,
    };

    v->is.to = last;
    v->is.next_pcpu = FACT_NO_PCPU;
    v->is.next = STATES;
    v->is.next_why = WHY_NONE;
    if ( v->known )
        emit_runstate(&s->emit, &v->is);
    if ( v->placed )
        emit_residency(&s->emit, &residency);
    memset(v, 0, sizeof(*v));
}

void scene_end(struct scene *s, uint64_t last)
{
    for ( uint32_t d = 0; d < s->guests->nr_domains; d++ )
    {
        struct domain *domain = s->guests->domains[d];

        for ( uint32_t v = 0; v < domain->nr_vcpus; v++ )
            end_vcpu(s, domain->vcpus[v], last);
        domain_end(s, domain, last);
    }
}

void scene_fini(struct scene *s)
{
    for ( unsigned int i = 0; i < s->nr_pcpus; i++ )
        free(s->pcpus[i].past);
    free(s->pcpus);
}
