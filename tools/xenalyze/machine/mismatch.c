/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mismatches: an old state that differs from the known state means that records
 * of two pcpus came in the wrong order (their clocks differ), or that records
 * were lost.  The rules are stock xenalyze's, so that numbers agree with
 * stock's; unlike stock, analysis never stops here.
 *
 * Records in the wrong order are a pair: an early change, which is a mismatch,
 * and the late record that should have preceded the change.
 */
#include "common/compiler.h"
#include "common/debug.h"
#include "xenalyze/machine/current.h"
#include "xenalyze/machine/mismatch.h"

/* A record that comes even later belongs to another change. */
#define MAX_LAG (UINT64_C(1) << 32)     /* cycles */

/* A record of c->pcpu came `lag` cycles after a record that it precedes. */
static void note_disorder(struct global *g, const struct change *c,
                          uint32_t other, uint64_t lag)
{
    debug_assert(c->pcpu != other);
    if ( lag && lag < MAX_LAG )
        disorder_add_swap(&g->disorder, &vcpu_get_state(c->vcpu)->order,
                          c->pcpu, other, lag);
}

/* Clocks may have made the wait of a vcpu up, or its length. */
static void note_doubt(struct global *g, const struct change *c, uint32_t other,
                       uint64_t from, uint64_t to)
{
    debug_assert(c->pcpu != other && from <= to);
    if ( g->lost_pcpus || g->certain_since > from ||
         !global_order_is_known(g, from) )
        return;
    disorder_add_doubt(&g->disorder, &vcpu_get_state(c->vcpu)->order, c->pcpu,
                       other, to - from);
}

/*
 * The vcpu should not be runnable, so some pcpu's clock is wrong by an unknown
 * time: the vcpu ran after its wake-up by records that come at another time.
 */
static void note_doubtful_wait(struct global *g, const struct vcpu_state *v,
                               const struct change *c)
{
    uint32_t other = v->fact.why == WHY_WAKE ? v->waker_pcpu : c->pcpu;

    debug_assert(v->fact.state == STATE_RUNNABLE);
    if ( other == c->pcpu && v->has_pcpu )
        other = v->fact.pcpu;
    if ( other != c->pcpu )
        note_doubt(g, c, other, v->fact.from, c->time);
}

/*
 * A change that another pcpu's late record should have preceded.  The late
 * record may come at any time, even if the vcpu is then in the record's old
 * state again, a period later.  Without the memory in v->early, a wake-up that
 * is late by a millisecond would make a vcpu runnable that has blocked again,
 * perhaps for many seconds:
 *
 *     true order   wakes  runs  blocks                   wakes  runs
 *     time stamps         runs  blocks  wakes ...........       runs  wakes
 *
 * A dropped wake-up was in order after all if the vcpu's next run, which is
 * then without a wake-up, comes sooner after the wake-up than the wake-up came
 * after the run before: such a run expects no late wake-up.
 */
static unsigned int classify_early(const struct vcpu_state *v,
                                   const struct change *c)
{
    const struct late_wake *w = &v->late_wake;

    debug_assert(v->fact.state != c->old);
    if ( c->new == STATE_RUNNABLE )
        return c->old == STATE_BLOCKED && v->fact.state == STATE_RUNNING
               ? EARLY_WAKE : EARLY_NONE;
    if ( c->new != STATE_RUNNING || c->old != STATE_RUNNABLE )
        return EARLY_NONE;
    if ( v->fact.state == STATE_RUNNING )
        return v->fact.pcpu != c->pcpu ? EARLY_ARRIVE : EARLY_NONE;
    if ( v->fact.state != STATE_BLOCKED || v->early.kind == EARLY_WAKE ||
         (w->lag && c->time - w->time < w->lag) )
        return EARLY_NONE;
    return EARLY_RUN;
}

static void note_early(const struct global *g, struct vcpu_state *v,
                       const struct change *c)
{
    bool is_known = global_order_is_known(g, v->fact.from);

    v->early = (struct early_change){
        .kind = is_known ? classify_early(v, c) : EARLY_NONE,
        .pcpu = c->pcpu, .time = c->time,
    };
    v->late_wake.lag = 0;
    debug_assert(v->early.kind <= EARLY_ARRIVE);
}

/* Is the change the late record that the early change should have followed? */
static bool is_late_for(const struct global *g,
                        const struct early_change *early,
                        const struct change *c)
{
    debug_assert(early->kind);
    return c->pcpu != early->pcpu && !g->lost_pcpus &&
           g->certain_since <= early->time &&
           global_order_is_known(g, early->time) &&
           c->time - early->time < MAX_LAG;
}

COLD
void vcpu_note_wake_in_run(struct global *g, const struct vcpu_state *v,
                           const struct change *c)
{
    uint64_t late = v->early.time - v->fact.from;
    uint64_t early = c->time - v->early.time;

    debug_assert(v->early.kind == EARLY_WAKE);
    if ( v->fact.state != STATE_RUNNING || v->early.time < v->fact.from ||
         !is_late_for(g, &v->early, c) )
        return;
    note_disorder(g, c, v->early.pcpu, early < late ? early : late);
    /* A small error of the clocks makes a wake-up early rather than late. */
    if ( v->awake && v->woken_at < v->fact.from && late / 4 <= early )
        note_doubt(g, c, v->early.pcpu, v->woken_at, v->fact.from);
}

COLD
bool vcpu_end_early(struct global *g, struct vcpu_state *v, bool is_expected,
                    const struct change *c)
{
    bool is_late = is_expected && is_late_for(g, &v->early, c);

    if ( is_late )
    {
        debug_assert(c->time >= v->early.time);
        g->anomalies[ANOMALY_SKEW]++;
        note_disorder(g, c, v->early.pcpu, c->time - v->early.time);
    }
    v->early.kind = EARLY_NONE;
    return is_late;
}

COLD
bool vcpu_is_late_wake(struct global *g, struct vcpu_state *v,
                       const struct change *c)
{
    if ( v->fact.state != c->old ||
         !vcpu_end_early(g, v, v->early.kind == EARLY_RUN, c) )
        return false;
    vcpu_note_ignored(g, v, c);
    v->late_wake.time = c->time;
    v->late_wake.lag = c->time - v->early.time + 1;
    debug_assert(v->late_wake.lag);
    return true;
}

/* The state behind the vcpu's last record; false: a loss came between. */
static bool find_last_state(const struct global *g, const struct vcpu_state *v,
                            unsigned int *last)
{
    bool is_known = v->known && !state_is_unknown(v->fact.state);

    *last = is_known ? v->fact.state : v->order.last;
    debug_assert(*last < STATES);
    return is_known || (v->order.has_last && !g->lost_pcpus &&
                        g->certain_since <= v->fact.from);
}

COLD
void vcpu_note_ignored(const struct global *g, struct vcpu_state *v,
                       const struct change *c)
{
    unsigned int last;

    debug_assert(c->vcpu->machine == v);
    if ( v->known && !state_is_unknown(v->fact.state) )
    {
        vcpu_order_add_jump(&v->order, c->new, c->old);
        return;
    }
    if ( find_last_state(g, v, &last) )
        vcpu_order_add_jump(&v->order, last, c->old);
    v->order.has_last = v->known;
    v->order.last = c->new;
}

/* The known state is not the one in the record. */
static bool accept_mismatch(struct global *g, struct vcpu_state *v,
                          const struct change *c)
{
    debug_assert(v->fact.state != c->old);
    if ( runstate_is_mirrored(&v->mismatch, v->fact.state, c->old, c->new,
                              c->pcpu) )
    {
        g->anomalies[ANOMALY_SKEW]++;
        if ( v->fact.from <= v->mismatch_at &&
             global_order_is_known(g, v->mismatch_at) )
            note_disorder(g, c, v->mismatch.pcpu, c->time - v->mismatch_at);
        v->early.kind = EARLY_NONE;
        return false;
    }
    g->anomalies[ANOMALY_OLD_STATE]++;
    if ( v->fact.state == STATE_RUNNABLE )
        note_doubtful_wait(g, v, c);
    note_early(g, v, c);
    v->mismatch_at = c->time;
    if ( v->fact.state == STATE_RUNNING )
        return false;
    /* A blocked vcpu that runs may have been blocked: its wake-up is late. */
    if ( v->fact.state != STATE_BLOCKED || c->old == STATE_RUNNING )
        vcpu_correct_state(g, v, STATE_NO_DATA, c->time);
    return true;
}

COLD
bool vcpu_accept_record(struct global *g, struct vcpu_state *v,
                        const struct change *c)
{
    unsigned int last;
    bool has_last = find_last_state(g, v, &last);
    bool accept = state_is_unknown(v->fact.state) ? vcpu_name_state(g, v, c)
                                                  : accept_mismatch(g, v, c);

    debug_assert(v->known);
    if ( !accept )
        vcpu_note_ignored(g, v, c);
    else if ( has_last )
        vcpu_order_add_jump(&v->order, last, c->old);
    return accept;
}
