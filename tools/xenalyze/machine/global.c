/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Begin and end of a segment.  The end resets all states: times before and
 * after a boundary between segments cannot be compared.
 */
#include "xenalyze/machine/rivals.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/fault.h"

void global_begin(struct global *g, uint64_t first)
{
    if ( !g->exits.first_size )
        arena_init(&g->exits, 0);
    g->first = g->certain_since = g->ordered_since = first;
    g->lost_pcpus = g->missing_pcpus = 0;
    g->off_cpu = NULL;
    xt_losses_fini(&g->losses);
    memset(g->anomalies, 0, sizeof(g->anomalies));
    disorder_init(&g->disorder);
    g->waits.nr = 0;
    for ( unsigned int i = 0; i < g->nr_pcpus; i++ )
    {
        g->pcpus[i].history.nr = 0;
        g->pcpus[i] = (struct global_pcpu){ .history = g->pcpus[i].history };
    }
}

static int grow_global_pcpus(struct global *g, unsigned int nr)
{
    struct global_pcpu *pcpus = fault_realloc(g->pcpus, nr * sizeof(*pcpus));

    assert(nr > g->nr_pcpus);
    if ( !pcpus )
        return -ENOMEM;
    memset(pcpus + g->nr_pcpus, 0, (nr - g->nr_pcpus) * sizeof(*pcpus));
    g->pcpus = pcpus;
    g->nr_pcpus = nr;
    return 0;
}

int global_add_pcpu(struct global *g, unsigned int pcpu, uint64_t first)
{
    struct global_pcpu *p;

    if ( pcpu >= g->nr_pcpus && grow_global_pcpus(g, pcpu + 1) )
        return -ENOMEM;
    p = &g->pcpus[pcpu];
    assert(!p->current && !p->lost);
    p->first = first;
    if ( p->history.entries || !g->emit.wants_rivals )
        return 0;
    return history_init(&p->history);
}

static void end_vcpu(struct global *g, struct vcpu *vcpu, uint64_t last)
{
    struct vcpu_state *v = vcpu_get_state(vcpu);
    struct fact_residency residency = {
        .vcpu = vcpu, .from = v->pcpu_since, .to = last, .pcpu = v->fact.pcpu,
        .next = FACT_NO_PCPU,
    };

    assert(!v->known || v->fact.vcpu == vcpu);
    assert(!v->has_pcpu || v->fact.pcpu != FACT_NO_PCPU);
    if ( v->known && v->fact.state == STATE_RUNNABLE )
        wait_emit_open(g, v, FACT_NO_PCPU, last);
    v->fact.to = last;
    v->fact.next_pcpu = FACT_NO_PCPU;
    v->fact.next = STATES;
    v->fact.next_why = WHY_NONE;
    if ( v->known )
        emit_runstate(&g->emit, &v->fact);
    if ( v->has_pcpu )
        emit_residency(&g->emit, &residency);
    memset(v, 0, sizeof(*v));
}

static void end_domain(struct global *g, struct domain *domain, uint64_t last)
{
    struct domain_state *d = domain->machine;

    assert(!d->known || d->fact.domain == domain);
    assert(d->fact.ended <= d->fact.nr_vcpus &&
           d->fact.nr_vcpus <= domain->nr_vcpus);
    d->fact.to = last;
    d->fact.last = true;
    if ( d->known )
        emit_domain(&g->emit, &d->fact);
    memset(d, 0, sizeof(*d));
}

static void emit_state(struct global *g, const struct vcpu_state *v,
                       uint64_t time)
{
    struct fact_runstate f = v->fact;

    if ( !v->known || state_is_unknown(v->fact.state) )
        return;
    f.from = f.to = f.since = time;
    f.state = STATE_LOST;
    f.next = v->fact.state;
    f.next_why = v->fact.why;
    f.next_pcpu = v->fact.pcpu;
    emit_runstate(&g->emit, &f);
}

void global_emit_states(struct global *g, uint64_t time)
{
    for ( unsigned int i = 0; i < GUESTS_HASH_SIZE; i++ )
        for ( struct vcpu *v = g->guests->vcpu_hash[i]; v; v = v->next )
            emit_state(g, v->machine, time);
    assert(time < UINT64_MAX);
}

void global_end(struct global *g, uint64_t last)
{
    assert(g->guests->domains || !g->guests->nr_domains);
    assert(g->lost_pcpus <= g->nr_pcpus);
    for ( uint32_t d = 0; d < g->guests->nr_domains; d++ )
    {
        struct domain *domain = g->guests->domains[d];

        for ( uint32_t v = 0; v < domain->nr_vcpus; v++ )
            end_vcpu(g, domain->vcpus[v], last);
        end_domain(g, domain, last);
    }
    arena_reset(&g->exits);
}

void global_fini(struct global *g)
{
    for ( unsigned int i = 0; i < g->nr_pcpus; i++ )
        free(g->pcpus[i].history.entries);
    free(g->waits.items);
    free(g->rivals);
    free(g->pcpus);
    xt_losses_fini(&g->losses);
    if ( g->exits.first_size )
        arena_fini(&g->exits);
}
