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

static inline struct change *tell_world(struct pcpu *p, unsigned int kind,
                                        struct vcpu *v,
                                        unsigned int old, unsigned int new)
{
    struct change *c = pcpu_next_change(p, kind, v);

    c->old = old;
    c->new = new;
    return c;
}

/* v ran here, says its record.  Is that what we thought? */
static inline void ran_here(struct pcpu *p, struct vcpu *v)
{
    if ( p->current == v )
        return;
    if ( !p->current && p->is.state == PCPU_UNKNOWN && p->is.before_first_run )
        pcpu_ran(p, v);
    else if ( p->inferred )
        p->current = v;
    else
        p->anomalies[ANOMALY_PREVIOUS]++;
}

static inline void leaves(struct pcpu *p, struct vcpu *v,
                          unsigned int new)
{
    ran_here(p, v);
    if ( p->current == v || p->nobody )
    {
        if ( p->outside.open )
            hvm_leave(p, new);
        p->entered = 0;
    }
    p->nobody = NULL;
    if ( p->current == v )
        pcpu_leave(p);
}

static inline void arrives(struct pcpu *p, struct vcpu *v)
{
    p->outside.open = false;
    pcpu_run(p, v);
}

static inline void wakes(struct pcpu *p, struct vcpu *v,
                         unsigned int old)
{
    struct change *c = tell_world(p, CHANGE_WAKE, v, old, STATE_RUNNABLE);

    if ( v == p->waking )
        c->number = p->waking_since;
}

/*
 * A vcpu by a record's word, domain and id: few of them come to one pcpu, and
 * again and again.
 */
static inline struct vcpu *named(struct pcpu *p, uint32_t word)
{
    struct known *k = &p->known[word * UINT32_C(0x9e3779b1) >>
                                (32 - PCPU_KNOWN_BITS)];

    if ( k->word != word || !k->vcpu )
        *k = (struct known){ word, guests_get_vcpu(p->guests, word >> 16,
                                                   word) };
    if ( !k->vcpu )
        p->anomalies[ANOMALY_TOO_MANY]++;
    return k->vcpu;
}

/* From one state to another, that is. */
__attribute__((always_inline))
static inline void change(struct pcpu *p, struct vcpu *v,
                          unsigned int old, unsigned int new)
{
    if ( old == STATE_RUNNING )
    {
        leaves(p, v, new);
        tell_world(p, CHANGE_LEAVE, v, old, new);
    }
    else if ( new == STATE_RUNNING )
        tell_world(p, CHANGE_ARRIVE, v, old, new);
    else if ( new == STATE_RUNNABLE )
        wakes(p, v, old);
    else
        tell_world(p, CHANGE_STATE, v, old, new);
    p->waking = NULL;
    if ( new == STATE_RUNNING )
        arrives(p, v);
}

/* It was not preempted: it is the one who ran, and who runs. */
static inline void goes_on(struct pcpu *p, struct vcpu *v)
{
    ran_here(p, v);
    p->is.before_first_run &= p->current != v;
    p->nobody = NULL;
    tell_world(p, CHANGE_CONTINUE, v, STATE_RUNNING, STATE_RUNNING);
}

void runstate_record(struct pcpu *p, const struct xt_record *r)
{
    unsigned int old = OLD(r->event), new = NEW(r->event);
    bool changes = IS_CHANGE(r->event);
    struct vcpu *v;

    if ( (!changes && r->event != TRC_SCHED_CONTINUE_RUNNING) ||
         old > STATE_OFFLINE || new > STATE_OFFLINE )
    {
        p->anomalies[ANOMALY_TRANSITION] += changes;
        event_record(p, r);
        return;
    }
    v = has_words(p, r, 1) ? named(p, word(r, 0)) : NULL;
    if ( !v )
        return;
    if ( !p->begun )
        pcpu_begin(p, p->time);
    if ( changes )
    {
        change(p, v, old, new);
        return;
    }
    goes_on(p, v);
    event_record(p, r);
}

/* --- one after the other -------------------------------------------------- */

#define PLAIN_BYTES 16u         /* header, time, one word */
#define PLAIN_CHANGE RECORD_HEADER(TRC_SCHED_RUNSTATE_CHANGE, 1)
#define PLAIN_CONTINUE RECORD_HEADER(TRC_SCHED_CONTINUE_RUNNING, 1)
#define STATE_BITS 0x330u       /* of states up to STATE_OFFLINE */

static void tell_event(struct pcpu *p, const unsigned char *at)
{
    struct xt_record r;

    if ( emit_wants_event(p->emit) &&
         xt_record_decode(&r, at, at + PLAIN_BYTES) )
        event_record(p, &r);
}

static inline void plain_record(struct pcpu *p, const unsigned char *at,
                                uint32_t header)
{
    struct vcpu *v = named(p, xt_load32(at + 12));

    if ( !v )
        return;
    if ( header != PLAIN_CONTINUE )
    {
        change(p, v, OLD(header), NEW(header));
        return;
    }
    goes_on(p, v);
    tell_event(p, at);
}

/* What hvm_run() is for exits: the loop for changes, one behind the other. */
const unsigned char *runstate_run(struct pcpu *p, const unsigned char *at,
                                  const unsigned char *end, uint64_t offset,
                                  uint64_t limit)
{
    const unsigned char *from = at;

    if ( !p->begun )
        return at;
    while ( end - at >= (ptrdiff_t)PLAIN_BYTES )
    {
        uint32_t header = xt_load32(at);
        uint64_t time = xt_load64(at + 4) + offset;

        if ( ((header & ~STATE_BITS) != PLAIN_CHANGE &&
              header != PLAIN_CONTINUE) ||
             time - p->time > PCPU_JUMP || time > limit )
            break;
        p->time = time;
        plain_record(p, at, header);
        at += PLAIN_BYTES;
    }
    add_volume(p, VOLUME_SCHED, (at - from) / PLAIN_BYTES, at - from);
    return at;
}

/* Of what the scheduler says besides, only that it wakes somebody matters. */
void schedule_record(struct pcpu *p, const struct xt_record *r)
{
    if ( r->event == TRC_SCHED_WAKE && has_words(p, r, 2) )
    {
        p->waking = guests_get_vcpu(p->guests, word(r, 0), word(r, 1));
        p->waking_since = p->time;
    }
    event_record(p, r);
}
