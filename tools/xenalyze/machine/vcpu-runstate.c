/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runstates of vcpus, over all pcpus.
 *
 * A record says from which state to which.  Where it does not continue what
 * was known, records of two pcpus came in the wrong order (their clocks
 * differ), or something was lost.  The rules are those of stock's xenalyze, so
 * that its numbers come out; but nothing ends here.
 *
 * Until a vcpu is first seen to get a pcpu it is EARLY: facts are told, marked
 * as such, and its domain does not count it.
 */
#include <stddef.h>
#include <string.h>

#include "xenalyze/machine/vcpu-runstate.h"

/* --- domains and states, out of line -------------------------------------- */

void domain_ripen(struct scene *s, const struct vcpu_state *v)
{
    struct domain_state *d = v->domain;

    domain_until_now(s, d, v->is.from);
    d->is.nr_vcpus++;
    domain_count(&d->is, census[v->is.state]);
    d->is.ended += v->ended;
}

void domain_end(struct scene *s, struct domain *domain, uint64_t last)
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
    if ( !v->is.before_first_run )
        v->domain->is.ended += v->ending - v->ended;
    v->ended = v->ending;
    v->ending = false;
}

void vcpu_enter(struct scene *s, struct vcpu_state *v, unsigned int state,
                uint64_t time, uint32_t pcpu)
{
    vcpu_enters(s, v, state, time, pcpu);
}

/* --- changes -------------------------------------------------------------- */

/* Its domain counts it from now on; its state does not change by that. */
static void ripen(struct scene *s, struct vcpu_state *v)
{
    if ( !v->is.before_first_run )
        return;
    v->is.before_first_run = false;
    domain_ripen(s, v);
}

/*
 * The first that is heard of a vcpu: it was in this state for as long as
 * nothing has been lost.
 */
static void meet(struct scene *s, struct vcpu_state *v,
                 struct vcpu *vcpu, unsigned int old,
                 const struct change *c)
{
    v->is.vcpu = vcpu;
    v->domain = vcpu->domain->machine;
    v->domain->is.domain = vcpu->domain;
    v->known = v->is.before_first_run = true;
    v->is.from = v->is.since = s->first;
    v->is.why = WHY_NONE;
    v->is.pcpu = FACT_NO_PCPU;
    v->is.state = STATE_LOST;
    if ( s->lost_pcpus )
        return;
    if ( s->certain > s->first )
        vcpu_tell(s, v, old, s->certain, c->pcpu);
    v->is.from = s->certain;
    v->is.state = old;
    v->is.pcpu = old == STATE_RUNNING ? c->pcpu : FACT_NO_PCPU;
    vcpu_list(s, v);
}

static inline struct vcpu_state *known(struct scene *s, const struct change *c)
{
    struct vcpu_state *v = vcpu_state(c->vcpu);

    if ( !v->known )
        meet(s, v, c->vcpu, c->old, c);
    return v;
}

/* --- on and off a pcpu ---------------------------------------------------- */

static void move(struct scene *s, struct vcpu_state *v, uint32_t pcpu,
                 uint64_t time)
{
    struct fact_residency f = {
        .vcpu = v->is.vcpu, .from = v->placed_at, .to = time,
        .pcpu = v->is.pcpu, .next = pcpu,
    };

    if ( v->placed )
        emit_residency(&s->emit, &f);
    v->placed = true;
    v->placed_at = time;
    v->is.pcpu = pcpu;
}

static inline void place(struct scene *s, struct vcpu_state *v, uint32_t pcpu,
                         uint64_t time)
{
    if ( !v->placed || v->is.pcpu != pcpu )
        move(s, v, pcpu, time);
}

/* It runs there, though no record of the scheduler has said so. */
void vcpu_found(struct scene *s, const struct change *c)
{
    struct vcpu_state *v = known(s, c);

    vcpu_enter(s, v, STATE_RUNNING, c->time, c->pcpu);
    ripen(s, v);
    place(s, v, c->pcpu, c->time);
    place_enter(s, c->pcpu, v->is.vcpu, c->time);
    s->pcpus[c->pcpu].inferred = true;
}

/* --- records -------------------------------------------------------------- */

/* The change that came first should have come behind this one. */
static void note_skew(struct skews *s, const struct vcpu_state *v,
                      const struct change *c)
{
    uint64_t lag = c->time - v->mismatch_at + 1;
    unsigned int i = 0;

    while ( i < s->nr && (s->pairs[i].before != c->pcpu ||
                          s->pairs[i].after != v->mismatch_pcpu) )
        i++;
    if ( i == SKEWS || lag > SKEW_MAX )
        return;
    if ( i == s->nr )
        s->pairs[s->nr++] = (struct skew){ .before = c->pcpu,
                                           .after = v->mismatch_pcpu };
    s->pairs[i].times++;
    if ( lag > s->pairs[i].lag )
        s->pairs[i].lag = lag;
}

/*
 * The record begins with another state than the one known.  True: believe it
 * all the same.
 */
static bool disagree(struct scene *s, struct vcpu_state *v,
                     const struct change *c)
{
    if ( v->is.state == STATE_LOST )
        return c->new == STATE_RUNNING;
    if ( v->mismatch && v->said == c->new && v->knew == c->old &&
         v->mismatch_pcpu != c->pcpu )
    {
        /* The mirror image of the last one: they came the wrong way round. */
        s->anomalies[ANOMALY_SKEW]++;
        if ( s->skews && v->fresh )
            note_skew(s->skews, v, c);
        v->mismatch = false;
        return false;
    }
    s->anomalies[ANOMALY_OLD_STATE]++;
    v->mismatch = v->fresh = true;
    v->said = c->old;
    v->knew = v->is.state;
    v->mismatch_pcpu = c->pcpu;
    v->mismatch_at = c->time;
    return v->is.state != STATE_RUNNING;
}

static void end_outside(struct scene *s, struct vcpu_state *v, uint64_t time,
                        unsigned int how)
{
    if ( v->outside.open )
        outside_tell(&s->emit, v->is.vcpu, &v->outside, time, how);
}

/* The vcpu that changes; NULL: the record is not to be believed. */
static inline struct vcpu_state *changing(struct scene *s,
                                          const struct change *c)
{
    struct vcpu_state *v = known(s, c);

    if ( v->is.state == c->old )
        v->fresh = false;
    else if ( !disagree(s, v, c) )
        return NULL;
    return v;
}

static void change_arrive(struct scene *s, const struct change *c)
{
    struct vcpu_state *v = changing(s, c);

    if ( c->old != STATE_RUNNABLE )
        s->anomalies[ANOMALY_TRANSITION]++;
    if ( !v )
        return;
    if ( v->is.state == STATE_RUNNABLE )
        wait_end(s, v, c->pcpu, c->time);
    vcpu_enters(s, v, STATE_RUNNING, c->time, c->pcpu);
    ripen(s, v);
    place(s, v, c->pcpu, c->time);
    place_enter(s, c->pcpu, v->is.vcpu, c->time);
}

static void change_leave(struct scene *s, const struct change *c)
{
    struct scene_pcpu *p = &s->pcpus[c->pcpu];
    struct vcpu_state *v = changing(s, c);
    unsigned int next = c->new;

    if ( c->new == STATE_RUNNING )
        s->anomalies[ANOMALY_TRANSITION]++;
    if ( c->new == STATE_RUNNABLE )
        end_outside(s, vcpu_state(c->vcpu), c->time, EXIT_WOKEN);
    if ( !v )
        return;
    if ( p->current == v->is.vcpu )
        place_leave(s, c->pcpu, c->time);
    else
        s->anomalies[ANOMALY_PREVIOUS] += p->current != NULL;
    if ( c->new == STATE_BLOCKED )
        halt(s, v, c->time);
    if ( s->lost_pcpus && !vcpu_is_idle(v->is.vcpu) )
        next = STATE_LOST;
    vcpu_enters(s, v, next, c->time, c->pcpu);
}

static void change_wake(struct scene *s, const struct change *c)
{
    struct vcpu_state *v = changing(s, c);

    end_outside(s, vcpu_state(c->vcpu), c->time, EXIT_WOKEN);
    if ( !v )
        return;
    wake(s, v, c);
    vcpu_enters(s, v, STATE_RUNNABLE, c->time, c->pcpu);
}

static void change_state(struct scene *s, const struct change *c)
{
    struct vcpu_state *v = changing(s, c);

    s->anomalies[ANOMALY_TRANSITION] += c->new == STATE_BLOCKED &&
                                      c->old == STATE_RUNNABLE;
    if ( v )
        vcpu_enter(s, v, c->new, c->time, c->pcpu);
}

static void change_continue(struct scene *s, const struct change *c)
{
    struct vcpu_state *v = known(s, c);
    struct scene_pcpu *p = &s->pcpus[c->pcpu];

    if ( (v->is.state != STATE_RUNNING && v->is.state != STATE_LOST) ||
         (p->current && p->current != v->is.vcpu && !p->inferred) )
    {
        s->anomalies[ANOMALY_CONTINUE]++;
        return;
    }
    if ( v->is.before_first_run && v->is.state == STATE_RUNNING )
    {
        /* It has run since the beginning of the pcpu's records, and goes on. */
        place(s, v, c->pcpu, p->first);
        if ( v->is.from < p->first )
            vcpu_enter(s, v, STATE_RUNNING, p->first, c->pcpu);
        ripen(s, v);
        place_enter(s, c->pcpu, v->is.vcpu, v->is.from);
        return;
    }
    if ( p->current != v->is.vcpu )
        place_enter(s, c->pcpu, v->is.vcpu, v->is.from);
    place(s, v, c->pcpu, c->time);
    vcpu_enters(s, v, STATE_RUNNING, c->time, c->pcpu);
    ripen(s, v);
}

static void change_outside(struct scene *s, const struct change *c)
{
    struct vcpu_state *v = known(s, c);
    const struct outside *o = c->data;

    (void)s;
    memcpy(&v->outside, o, offsetof(struct outside, held) +
                           o->nr_held * sizeof(o->held[0]));
}

static void change_entry(struct scene *s, const struct change *c)
{
    end_outside(s, vcpu_state(c->vcpu), c->time, EXIT_ENTERED);
}

static void change_exit(struct scene *s, const struct change *c)
{
    (void)s;
    vcpu_state(c->vcpu)->outside.open = false;
}

static void change_inject(struct scene *s, const struct change *c)
{
    (void)s;
    inject(vcpu_state(c->vcpu), c);
}

/* The pcpu's records end: what its vcpu does from now on is not known. */
static void change_end(struct scene *s, const struct change *c)
{
    const struct vcpu *current = s->pcpus[c->pcpu].current;

    place_leave(s, c->pcpu, c->time);
    if ( !current )
        return;
    vcpu_state(current)->ending = true;
    vcpu_enter(s, vcpu_state(current), STATE_LOST, c->time, c->pcpu);
}

static void (*const changes[CHANGE_KINDS])(struct scene *s,
                                           const struct change *c) = {
    [CHANGE_STATE] = change_state,
    [CHANGE_ARRIVE] = change_arrive,
    [CHANGE_LEAVE] = change_leave,
    [CHANGE_WAKE] = change_wake,
    [CHANGE_CONTINUE] = change_continue,
    [CHANGE_OUTSIDE] = change_outside,
    [CHANGE_ENTRY] = change_entry,
    [CHANGE_EXIT] = change_exit,
    [CHANGE_INJECT] = change_inject,
    [CHANGE_LOSS] = loss_begin,
    [CHANGE_FOUND] = loss_end,
    [CHANGE_END] = change_end,
};

void scene_change(struct scene *s, const struct change *c)
{
    changes[c->kind](s, c);
}
