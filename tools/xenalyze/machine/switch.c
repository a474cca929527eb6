/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runstates, as one pcpu sees them: who comes and who goes.  What it says of
 * vcpus elsewhere (a wake-up is a record of the waker's pcpu) is left for the
 * machine of the world, and all of it is repeated to that.
 *
 *   0x0002 1  0 old new 1     the two states stand in the id
 */
#include "xenalyze/machine/pcpu.h"

#define OLD(event) ((event) >> 8 & 0xf)
#define NEW(event) ((event) >> 4 & 0xf)
#define IS_CHANGE(event) (((event) & 0xf) == 1)

static inline void tell_world(struct pcpu *p, unsigned int kind,
                              struct world_vcpu *v, unsigned int old,
                              unsigned int new)
{
    struct change *c = pcpu_change(p, kind, v);

    if ( c )
    {
        c->old = old;
        c->new = new;
        if ( v == p->waking && new == STATE_RUNNABLE )
            c->number = p->waking_since;
    }
}

/* v ran here, says its record.  Is that what we thought? */
static void ran_here(struct pcpu *p, struct world_vcpu *v)
{
    if ( p->current == v )
        return;
    if ( !p->current && p->state == PCPU_UNKNOWN && p->early )
        pcpu_ran(p, v);
    else if ( p->inferred )
        p->current = v;
    else
        p->strange[STRANGE_PREVIOUS]++;
}

static void leaves(struct pcpu *p, struct world_vcpu *v, unsigned int new)
{
    ran_here(p, v);
    if ( p->current == v || p->nobody )
        hvm_leave(p, new);
    p->nobody = NULL;
    if ( p->current == v )
        pcpu_leave(p);
}

static void arrives(struct pcpu *p, struct world_vcpu *v)
{
    p->outside.open = false;
    p->nobody = NULL;
    pcpu_run(p, v);
}

/* As a rule it is whoever runs here. */
static struct world_vcpu *named(const struct pcpu *p, unsigned int domain,
                                unsigned int vcpu)
{
    struct world_vcpu *v = p->current;

    if ( v && v->id == vcpu && v->domain->id == domain )
        return v;
    return world_vcpu(p->world, domain, vcpu);
}

void runstate_record(struct pcpu *p, const struct xt_record *r)
{
    unsigned int old = OLD(r->event), new = NEW(r->event);
    bool changes = IS_CHANGE(r->event);
    struct world_vcpu *v;

    if ( (!changes && r->event != TRC_SCHED_CONTINUE_RUNNING) ||
         old > STATE_OFFLINE || new > STATE_OFFLINE )
    {
        p->strange[STRANGE_TRANSITION] += changes;
        event_record(p, r);
        return;
    }
    if ( !has_words(p, r, 1) )
        return;
    v = named(p, word(r, 0) >> 16, word(r, 0) & 0xffff);
    if ( !v )
    {
        p->strange[STRANGE_TOO_MANY]++;
        return;
    }
    if ( !changes )
    {
        ran_here(p, v);
        p->early &= p->current != v;
        p->nobody = NULL;
        tell_world(p, CHANGE_CONTINUE, v, STATE_RUNNING, STATE_RUNNING);
        event_record(p, r);
        return;
    }
    if ( old == STATE_RUNNING )
        leaves(p, v, new);
    tell_world(p, CHANGE_RUNSTATE, v, old, new);
    p->waking = NULL;
    if ( new == STATE_RUNNING )
        arrives(p, v);
}

/* Of what the scheduler says besides, only that it wakes somebody matters. */
void schedule_record(struct pcpu *p, const struct xt_record *r)
{
    if ( r->event == TRC_SCHED_WAKE && has_words(p, r, 2) )
    {
        p->waking = world_vcpu(p->world, word(r, 0), word(r, 1));
        p->waking_since = p->time;
    }
    event_record(p, r);
}
