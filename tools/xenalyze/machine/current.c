/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A pcpu runs one vcpu at a time.  A switch of vcpus is two records, and a
 * damaged bit in either one may name any other vcpu:
 *
 *     true records     a leaves, b arrives ... b leaves
 *     a damaged leave  x leaves, b arrives ... b leaves    a runs on for ever
 *     a damaged arrival a leaves, x arrives ... b leaves   x runs on for ever
 *
 * RULE 1: a run ends at the latest when another vcpu arrives on the pcpu.  From
 * there on the vcpu's state is unknown, until the old state in the vcpu's next
 * record names the state since then: a was blocked.
 *
 * RULE 2: if b leaves a pcpu where x runs, either record is damaged.  The leave
 * is, unless b was runnable.  If b was runnable, the run of x is unknown, and
 * so is the wait of b; the leave is still doubtful if the arrival was SOUND:
 * if the arrival named the known state of x as old state.
 *
 * RULE 3: an arrival beside a running vcpu has to be sound.
 *
 * With core scheduling, one pcpu writes the records of all vcpus of a unit: if
 * the next record of a vcpu in rule 1 leaves the same pcpu, the vcpu has been
 * running all the time.
 */
#include "common/compiler.h"
#include "common/debug.h"
#include "xenalyze/machine/current.h"
#include "xenalyze/machine/rivals.h"

/* Does the vcpu run here by a record that named the known state? */
static bool run_is_sound(const struct vcpu_state *v, uint32_t pcpu)
{
    debug_assert(pcpu != FACT_NO_PCPU);
    return v->fact.state == STATE_RUNNING && v->fact.pcpu == pcpu &&
           v->mismatch_at != v->fact.from;
}

/* The vcpu's state is unknown from now on, until its next record. */
static void forget_state(struct global *g, struct vcpu_state *v,
                         uint32_t pcpu, uint64_t time)
{
    debug_assert(v->known && time >= v->fact.from);
    v->early.kind = EARLY_NONE;
    v->ending = true;
    vcpu_enter(g, v, STATE_NO_DATA, time, pcpu);
    vcpu_forget_wake(v);
    v->is_unnamed = true;
}

/* The run on the pcpu ends.  If its begin is doubtful, so is all of it. */
static void end_run(struct global *g, uint32_t pcpu, bool doubtful,
                    uint64_t time)
{
    struct vcpu_state *v = vcpu_get_state(g->pcpus[pcpu].current);

    global_clear_current(g, pcpu, time);
    if ( v->fact.state != STATE_RUNNING || v->fact.pcpu != pcpu )
        return;
    if ( time < v->fact.from )
        time = v->fact.from;
    if ( doubtful || !run_is_sound(v, pcpu) )
        vcpu_correct_state(g, v, STATE_NO_DATA, time);
    forget_state(g, v, pcpu, time);
    debug_assert(v->fact.state == STATE_NO_DATA);
}

COLD
void current_replace(struct global *g, uint32_t pcpu, const struct vcpu *v,
                     uint64_t time)
{
    const struct global_pcpu *p = &g->pcpus[pcpu];

    debug_assert(p->current);
    g->anomalies[ANOMALY_PREVIOUS] += !p->inferred;
    if ( p->current == v )
        global_clear_current(g, pcpu, time);
    else
        end_run(g, pcpu, p->inferred, time);
}

COLD
bool current_may_arrive(struct global *g, const struct change *c)
{
    const struct global_pcpu *p = &g->pcpus[c->pcpu];
    const struct vcpu_state *v = vcpu_get_state(c->vcpu);
    bool may = state_change_is_possible(c->old, c->new) &&
               (!v->known || v->fact.state == c->old ||
                state_is_unknown(v->fact.state));

    debug_assert(p->current && c->new == STATE_RUNNING);
    if ( p->inferred || p->current == c->vcpu )
        return true;
    g->anomalies[ANOMALY_OLD_STATE] += !may;
    return may;
}

COLD
bool current_may_leave(struct global *g, const struct change *c)
{
    const struct global_pcpu *p = &g->pcpus[c->pcpu];
    struct vcpu_state *v = vcpu_get_state(c->vcpu);
    bool sound;

    debug_assert(p->current != c->vcpu);
    if ( !p->current || p->inferred ||
         (v->is_unnamed && v->fact.pcpu == c->pcpu) )
        return true;
    if ( !v->known || v->fact.state != STATE_RUNNABLE )
        return false;
    sound = run_is_sound(vcpu_get_state(p->current), c->pcpu);
    end_run(g, c->pcpu, true, c->time);
    vcpu_correct_state(g, v, STATE_NO_DATA, c->time);
    forget_state(g, v, c->pcpu, c->time);
    return !sound;
}

COLD
bool current_may_continue(const struct global *g, const struct change *c)
{
    const struct global_pcpu *p = &g->pcpus[c->pcpu];
    const struct vcpu_state *v = vcpu_get_state(c->vcpu);

    debug_assert(p->current != c->vcpu);
    if ( p->current && !p->inferred )
        return false;
    return !v->known || v->fact.state != STATE_RUNNING ||
           v->fact.pcpu == c->pcpu || v->fact.pcpu == FACT_NO_PCPU ||
           g->pcpus[v->fact.pcpu].current != c->vcpu;
}

COLD
bool current_has_run_since(const struct global_pcpu *p, uint64_t time)
{
    debug_assert(!p->lost);
    return p->since && p->since >= time && !p->inferred;
}

COLD
bool vcpu_name_state(struct global *g, struct vcpu_state *v,
                     const struct change *c)
{
    bool named = v->is_unnamed && !g->lost_pcpus &&
                 g->certain_since <= v->fact.from;

    debug_assert(state_is_unknown(v->fact.state));
    v->is_unnamed = false;
    if ( named && (c->old != STATE_RUNNING || c->pcpu == v->fact.pcpu) )
        vcpu_correct_state(g, v, c->old, c->time);
    return named || c->new == STATE_RUNNING;
}
