/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rules of RTDS, the real-time deferrable server: a vcpu has a budget in each
 * period, and the vcpu with the earliest deadline, the end of its period, runs.
 * A vcpu with extra time runs at a lower priority after its budget.
 *
 *   replenish                       replenish
 *   |  runs  | waits |  runs  | waits |
 *   0          got = sum of runs       deadline
 */
#include <assert.h>

#include "common/debug.h"
#include "libxentrace/internal.h"
#include "libxentrace/readers.h"
#include "xenalyze/account/sched-check-rules.h"

static struct sched_vcpu *find_unit(struct sched_checks *c, uint16_t domain,
                                    uint16_t unit)
{
    const struct vcpu *v = domain < XT_DOMAIN_IDLE
                           ? guests_get_vcpu(c->guests, domain, unit) : NULL;
    struct sched_vcpu *own = v ? sched_get_vcpu(c, v) : NULL;

    if ( own && !own->period.is_listed )
        own->period.is_listed = sched_list_add(c, &c->periods, own);
    return own;
}

/* Is `a` to run before `b`? */
static bool is_earlier(const struct sched_period *a,
                       const struct sched_period *b)
{
    return a->priority != b->priority ? a->priority < b->priority
                                      : a->deadline < b->deadline;
}

/* May `v` have been in the run queue of the pick, for some time? */
static bool is_queued(const struct sched_checks *c, const struct sched_vcpu *v,
                      const struct sched_vcpu *picked, uint64_t time)
{
    return v != picked && v->pool == picked->pool && !v->is_pinned &&
           v->state == STATE_RUNNABLE && v->since && v->since < time &&
           time - v->since > c->skew &&
           v->period.has_deadline && v->period.has_budget && v->period.budget;
}

static void check_pick(struct sched_checks *c, const struct fact_event *f)
{
    const struct xt_rec_rtds_runq_pick *r = xt_view_rtds_runq_pick(f->record);
    struct sched_vcpu *v = r ? find_unit(c, r->dom, r->unit) : NULL;
    const struct sched_vcpu *best = v;

    if ( !v )
        return;
    v->period.deadline = r->deadline;
    v->period.budget = r->budget;
    v->period.has_budget = true;
    if ( !v->period.has_deadline )
        return;
    for ( uint32_t i = 0; i < c->periods.nr; i++ )
        if ( is_queued(c, c->periods.all[i], v, f->time) &&
             is_earlier(&c->periods.all[i]->period, &best->period) )
            best = c->periods.all[i];
    c->rules[RULE_EDF].tested++;
    if ( best != v )
        sched_break_rule(c, RULE_EDF, &(struct sched_case){
            f->time - best->since, best->since, f->time, best->domain,
            best->id, f->pcpu });
}

static void check_burn(struct sched_checks *c, const struct fact_event *f)
{
    const struct xt_rec_rtds_budget_burn *r =
        xt_view_rtds_budget_burn(f->record);
    struct sched_vcpu *v = r ? find_unit(c, r->dom, r->unit) : NULL;
    uint64_t burnt, before;

    if ( !v )
        return;
    burnt = r->delta > 0 ? xt_clock_cycles(&c->clock, r->delta) : 0;
    before = xt_clock_cycles(&c->clock, v->period.budget);
    if ( v->period.has_budget && !v->period.priority )
    {
        c->rules[RULE_BUDGET].tested++;
        if ( burnt > before && burnt - before > c->late && burnt <= f->time )
            sched_break_late(c, &c->rules[RULE_BUDGET], &(struct sched_case){
                burnt - before, f->time - burnt, f->time, v->domain, v->id,
                f->pcpu });
    }
    v->period.priority = r->priority;
    v->period.budget = r->budget;
    v->period.has_budget = true;
}

/* Did the vcpu want its whole budget at the end of the period? */
static void check_deadline(struct sched_checks *c, const struct sched_vcpu *v,
                           uint64_t time)
{
    const struct sched_period *p = &v->period;
    uint64_t full = xt_clock_cycles(&c->clock, p->full), got = p->got;
    uint64_t from = v->wanting_since > p->begin ? v->wanting_since : p->begin;

    if ( !p->is_whole || !v->wanting_since || time <= from ||
         time - from < full )
        return;
    if ( v->state == STATE_RUNNING )
        got += time - (v->known_to > p->begin ? v->known_to : p->begin);
    c->rules[RULE_DEADLINE].tested++;
    if ( got < full && full - got > c->late )
        sched_break_late(c, &c->rules[RULE_DEADLINE], &(struct sched_case){
            full - got, from, time, v->domain, v->id, FACT_NO_PCPU });
}

static void begin_period(struct sched_checks *c, const struct fact_event *f)
{
    const struct xt_rec_rtds_budget_replenish *r =
        xt_view_rtds_budget_replenish(f->record);
    struct sched_vcpu *v = r ? find_unit(c, r->dom, r->unit) : NULL;

    if ( !v )
        return;
    check_deadline(c, v, f->time);
    v->period = (struct sched_period){
        .is_listed = v->period.is_listed, .has_budget = true,
        .has_deadline = true, .is_whole = true, .priority = r->priority,
        .deadline = r->deadline, .budget = r->budget, .full = r->budget,
        .begin = f->time,
    };
}

void sched_rtds_add(struct sched_checks *c, const struct fact_event *f)
{
    /* By the number of the event in the class. */
    static void (*const add[])(struct sched_checks *c,
                               const struct fact_event *f) = {
        [2] = check_pick,
        [3] = check_burn,
        [4] = begin_period,
    };
    unsigned int minor = f->record->event & ((1u << TRC_SCHED_ID_SHIFT) - 1);

    if ( minor < sizeof(add) / sizeof(add[0]) && add[minor] )
        add[minor](c, f);
}

void sched_rtds_runstate(struct sched_vcpu *v, const struct fact_runstate *f)
{
    struct sched_period *p = &v->period;
    uint64_t from;

    debug_assert(f->from <= f->to);
    from = f->from > p->begin ? f->from : p->begin;

    if ( f->state == STATE_RUNNING && f->to > from )
        p->got += f->to - from;
    if ( f->next == STATE_LOST || f->next == STATE_NO_DATA )
        p->is_whole = p->has_budget = p->has_deadline = false;
}

void sched_rtds_forget(struct sched_checks *c)
{
    for ( uint32_t i = 0; i < c->periods.nr; i++ )
    {
        struct sched_period *p = &c->periods.all[i]->period;

        assert(p->is_listed);
        p->is_whole = p->has_budget = p->has_deadline = false;
    }
}
