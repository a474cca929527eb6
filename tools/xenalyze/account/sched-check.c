/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of the rules of schedulers: state of vcpus and pcpus, and the rules
 * that concern one vcpu or one pcpu.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "common/fault.h"
#include "common/grow.h"
#include "libxentrace/internal.h"
#include "libxentrace/readers.h"
#include "xenalyze/account/sched-check-rules.h"

void sched_checks_init(struct sched_checks *c)
{
    assert(!c->vcpus && !c->pcpus);
    stats_pool_init(&c->pool);
}

void sched_checks_fini(struct sched_checks *c)
{
    free(c->active.all);
    free(c->periods.all);
    free(c->delays);
    free(c->vcpus);
    free(c->pcpus);
    stats_pool_fini(&c->pool);
}

const char *sched_rule_name(enum sched_rule rule)
{
    static const char *const names[] = {
        [RULE_ONE_PCPU] = "one_pcpu", [RULE_RUNSTATE] = "runstate",
        [RULE_SLICE] = "slice", [RULE_WORK] = "work",
        [RULE_RATELIMIT] = "ratelimit", [RULE_SHARE] = "share",
        [RULE_NO_WAIT] = "no_wait", [RULE_EDF] = "edf",
        [RULE_BUDGET] = "budget", [RULE_DEADLINE] = "deadline",
        [RULE_FRAME] = "frame",
    };

    assert(rule < SCHED_RULES);
    return names[rule];
}

/* --- results -------------------------------------------------------------- */

void sched_count_case(struct sched_result *r, const struct sched_case *how)
{
    assert(how->from <= how->to);
    if ( !r->broken || how->excess > r->worst.excess )
        r->worst = *how;
    r->broken++;
}

void sched_add_result(struct sched_result *to, const struct sched_result *from)
{
    to->tested += from->tested;
    if ( !from->broken )
        return;
    sched_count_case(to, &from->worst);
    to->broken += from->broken - 1;
}

void sched_break_rule(struct sched_checks *c, enum sched_rule rule,
                      const struct sched_case *how)
{
    assert(rule < SCHED_RULES);
    sched_count_case(&c->rules[rule], how);
}

/* --- vcpus and pcpus ------------------------------------------------------ */

/* -1: unknown. */
static int32_t find_pool(const struct xt_host *host, uint16_t domain)
{
    const struct xt_rec_meta_domain *d = xt_host_domain(host, domain);

    return d && d->pool >= 0 ? d->pool : -1;
}

static uint32_t find_scheduler(const struct xt_host *host, uint16_t domain)
{
    int32_t number = find_pool(host, domain);
    const struct xt_rec_meta_pool *pool =
        number >= 0 ? xt_host_pool(host, number) : NULL;

    return pool ? pool->scheduler : XT_SCHEDULER_UNKNOWN;
}

static void read_pool(struct sched_vcpu *v, const struct xt_host *host)
{
    const struct xt_rec_meta_pool_times *times;

    v->pool = find_pool(host, v->domain);
    v->scheduler = find_scheduler(host, v->domain);
    times = v->pool >= 0 ? xt_host_pool_times(host, v->pool) : NULL;
    if ( times && times->ratelimit != UINT32_MAX &&
         (v->scheduler == XT_SCHEDULER_CREDIT ||
          v->scheduler == XT_SCHEDULER_CREDIT2) )
        v->ratelimit = times->ratelimit * UINT64_C(1000);
}

static void read_metadata(struct sched_checks *c, struct sched_vcpu *v)
{
    const struct xt_rec_meta_domain_weight *w = xt_host_weight(c->host,
                                                               v->domain);
    uint64_t mask[XT_AFFINITY_WORDS];

    read_pool(v, c->host);
    c->has_weights |= w != NULL;
    v->is_pinned = xt_host_affinity(c->host, v->domain, v->id, XT_AFFINITY_HARD,
                                    mask) == XT_AFFINITY_MASK;
    if ( w && !w->cap )
        v->weight = w->weight;
}

struct sched_vcpu *sched_get_vcpu(struct sched_checks *c, const struct vcpu *v)
{
    struct sched_vcpu *own =
        grow_get_object(&c->vcpus, &c->nr_vcpus, v->index, &c->pool.arena,
                        sizeof(*own), STATS_LINE);

    c->failed |= !own;
    if ( !own || own->is_known )
        return own;
    own->is_known = true;
    own->domain = v->domain->id;
    own->id = v->id;
    own->pool = -1;
    own->state = STATE_INIT;
    own->ran_on = FACT_NO_PCPU;
    if ( c->host )
        read_metadata(c, own);
    return own;
}

static struct sched_pcpu *get_sched_pcpu(struct sched_checks *c, uint32_t pcpu)
{
    if ( grow_to_index(&c->pcpus, &c->nr_pcpus, pcpu, sizeof(*c->pcpus)) )
        return &c->pcpus[pcpu];
    c->failed = true;
    return NULL;
}

bool sched_list_add(struct sched_checks *c, struct sched_list *l,
                    struct sched_vcpu *v)
{
    assert(l->nr <= SCHED_MAX_RIVALS);
    if ( l->nr == SCHED_MAX_RIVALS )
        return false;
    if ( !l->all )
        l->all = fault_calloc(SCHED_MAX_RIVALS, sizeof(*l->all));
    c->failed |= !l->all;
    if ( l->all )
        l->all[l->nr++] = v;
    return l->all;
}

/* --- RULE_SLICE ----------------------------------------------------------- */

static void end_slice(struct sched_checks *c, uint32_t pcpu, uint64_t time)
{
    struct sched_pcpu *p = &c->pcpus[pcpu];

    assert(pcpu < c->nr_pcpus);
    if ( !p->end || time < p->begin )
        return;
    c->rules[RULE_SLICE].tested++;
    if ( time > p->end && time - p->end > c->late )
        sched_break_late(c, &c->rules[RULE_SLICE], &(struct sched_case){
            time - p->end, p->begin, time, p->domain, p->vcpu, pcpu });
    p->end = 0;
}

/* The records of both decisions, to switch and to continue, are alike. */
static void begin_slice(struct sched_checks *c, const struct fact_event *f)
{
    const struct xt_rec_sched_switch_infnext *next =
        xt_view_sched_switch_infnext(f->record);
    struct sched_pcpu *p = get_sched_pcpu(c, f->pcpu);

    if ( !p )
        return;
    end_slice(c, f->pcpu, f->time);
    if ( !next || next->dom > UINT16_MAX || next->unit > UINT16_MAX )
        return;
    sched_frames_add(c, p, f, next);
    if ( next->dom >= XT_DOMAIN_IDLE || next->slice < 0 )
        return;
    p->domain = next->dom;
    p->vcpu = next->unit;
    p->begin = f->time;
    p->end = f->time + xt_clock_cycles(&c->clock, next->slice);
    if ( p->end < p->begin )
        p->end = 0;
}

/* --- events --------------------------------------------------------------- */

static void note_yield(struct sched_checks *c, const struct fact_event *f)
{
    const struct xt_rec_sched_yield *y = xt_view_sched_yield(f->record);
    const struct vcpu *v = y && y->dom <= UINT16_MAX && y->vcpu <= UINT16_MAX
                           ? guests_get_vcpu(c->guests, y->dom, y->vcpu) : NULL;
    struct sched_vcpu *own = v ? sched_get_vcpu(c, v) : NULL;

    if ( own )
        own->yielded = f->time;
}

static void note_credit_decision(struct sched_checks *c,
                                 const struct fact_event *f)
{
    const struct xt_rec_csched_schedule *s = xt_view_csched_schedule(f->record);
    struct sched_pcpu *p = get_sched_pcpu(c, f->pcpu);

    if ( p && s )
        p->has_tasklet = s->tasklet;
}

static void note_credit2_decision(struct sched_checks *c,
                                  const struct fact_event *f)
{
    const struct xt_rec_csched2_schedule *s =
        xt_view_csched2_schedule(f->record);
    struct sched_pcpu *p = get_sched_pcpu(c, f->pcpu);

    if ( p && s )
        p->has_tasklet = s->tasklet;
}

/* By the number of the scheduler in its ids. */
static const struct
{
    uint32_t scheduler;
    void (*add)(struct sched_checks *c, const struct fact_event *f);
} schedulers[1u << TRC_SCHED_ID_BITS] = {
    [TRC_SCHED_CSCHED] = { XT_SCHEDULER_CREDIT, NULL },
    [TRC_SCHED_CSCHED2] = { XT_SCHEDULER_CREDIT2, NULL },
    [TRC_SCHED_ARINC653] = { XT_SCHEDULER_ARINC653, NULL },
    [TRC_SCHED_RTDS] = { XT_SCHEDULER_RTDS, sched_rtds_add },
    [TRC_SCHED_SNULL] = { XT_SCHEDULER_NULL, NULL },
};

static void add_class_event(struct sched_checks *c, const struct fact_event *f)
{
    unsigned int row = (f->record->event & TRC_SCHED_ID_MASK) >>
                       TRC_SCHED_ID_SHIFT;

    if ( schedulers[row].scheduler )
        c->seen |= 1u << schedulers[row].scheduler;
    if ( schedulers[row].add )
        schedulers[row].add(c, f);
}

static void checks_event(void *state, const struct fact_event *f)
{
    struct sched_checks *c = state;
    uint32_t event = f->record->event;

    switch ( event )
    {
    case TRC_SCHED_SWITCH_INFNEXT:
    case TRC_SCHED_SWITCH_INFCONT:
        begin_slice(c, f);
        break;
    case TRC_SCHED_YIELD:
        note_yield(c, f);
        break;
    case TRC_SCHED_CLASS_EVT(CSCHED, 9):
        note_credit_decision(c, f);
        break;
    case TRC_SCHED_CLASS_EVT(CSCHED2, 21):
        note_credit2_decision(c, f);
        break;
    }
    if ( event >> TRC_SUBCLS_SHIFT == TRC_SCHED_CLASS >> TRC_SUBCLS_SHIFT )
        add_class_event(c, f);
}

/* --- pcpus ---------------------------------------------------------------- */

/* RULE_ONE_PCPU: times on pcpus come in the order of their ends. */
static void checks_pcpu(void *state, const struct fact_pcpu *f)
{
    struct sched_checks *c = state;
    struct sched_pcpu *p = get_sched_pcpu(c, f->pcpu);
    struct sched_vcpu *v;
    uint64_t end;

    if ( p )
        p->last = f->to;
    if ( f->state != PCPU_RUNNING || !f->vcpu || vcpu_is_idle(f->vcpu) )
        return;
    v = sched_get_vcpu(c, f->vcpu);
    if ( !v )
        return;
    end = v->ran_to < f->to ? v->ran_to : f->to;
    if ( v->ran_on != FACT_NO_PCPU && v->ran_on != f->pcpu )
    {
        c->rules[RULE_ONE_PCPU].tested++;
        if ( end > f->from && end - f->from > c->skew )
            sched_break_rule(c, RULE_ONE_PCPU, &(struct sched_case){
                end - f->from, f->from, end, v->domain, v->id, f->pcpu });
    }
    v->ran_on = f->pcpu;
    v->ran_to = f->to;
}

static void checks_loss(void *state, const struct fact_loss *f)
{
    struct sched_checks *c = state;
    struct sched_pcpu *p = get_sched_pcpu(c, f->pcpu);

    if ( p )
    {
        p->end = 0;
        sched_frames_forget(p);
    }
    sched_rtds_forget(c);
}

/* --- runstates ------------------------------------------------------------ */

static void check_change(struct sched_checks *c, const struct sched_vcpu *v,
                         const struct fact_runstate *f)
{
    /* A vcpu that continues stays in its state. */
    if ( f->state > STATE_OFFLINE || f->next > STATE_OFFLINE ||
         f->state == f->next )
        return;
    c->changes.tested++;
    if ( !state_change_is_possible(f->state, f->next) )
        sched_count_case(&c->changes, &(struct sched_case){
            0, f->to, f->to, v->domain, v->id, f->next_pcpu });
}

static void check_ratelimit(struct sched_checks *c, const struct sched_vcpu *v,
                            const struct fact_runstate *f)
{
    uint64_t limit = xt_clock_cycles(&c->clock, v->ratelimit);
    bool was_preempted = f->state == STATE_RUNNING &&
                         f->next == STATE_RUNNABLE && v->since &&
                         v->since <= f->to;

    if ( !v->ratelimit || !was_preempted || v->yielded >= v->since ||
         f->pcpu >= c->nr_pcpus || c->pcpus[f->pcpu].has_tasklet )
        return;
    c->rules[RULE_RATELIMIT].tested++;
    if ( f->to - v->since + c->skew < limit )
        sched_break_rule(c, RULE_RATELIMIT, &(struct sched_case){
            limit - (f->to - v->since), v->since, f->to, v->domain, v->id,
            f->pcpu });
}

static void checks_runstate(void *state, const struct fact_runstate *f)
{
    struct sched_checks *c = state;
    struct sched_vcpu *v;

    if ( vcpu_is_idle(f->vcpu) || f->from > f->to )
        return;
    sched_share_advance(c, f->to);
    v = sched_get_vcpu(c, f->vcpu);
    if ( !v )
        return;
    check_change(c, v, f);
    check_ratelimit(c, v, f);
    sched_rtds_runstate(v, f);
    sched_share_add(c, v, f);
    if ( !sched_is_wanting(f->next) )
        v->wanting_since = 0;
    else if ( !v->wanting_since )
        v->wanting_since = f->to;
    /* After a loss, the begin of a state is unknown. */
    if ( f->next != f->state )
        v->since = f->state <= STATE_OFFLINE ? f->to : 0;
    v->state = f->next;
    v->known_to = f->to;
}

/* RULE_NO_WAIT, also while the scheduler is unknown. */
static void checks_wait(void *state, const struct fact_wait *f)
{
    struct sched_checks *c = state;
    struct sched_vcpu *v = vcpu_is_idle(f->vcpu) ? NULL
                                                 : sched_get_vcpu(c, f->vcpu);
    struct sched_result *r;

    if ( !v || (v->scheduler && v->scheduler != XT_SCHEDULER_NULL) )
        return;
    r = v->scheduler ? &c->rules[RULE_NO_WAIT] : &c->waits;
    r->tested++;
    if ( f->to > f->from && f->to - f->from > c->late )
        sched_break_late(c, r, &(struct sched_case){
            f->to - f->from, f->from, f->to, v->domain, v->id, f->pcpu });
}

/* --- the sink ------------------------------------------------------------- */

static void checks_begin(void *state, const struct fact_begin *f)
{
    struct sched_checks *c = state;

    assert(f->guests && !c->window_end);
    c->guests = f->guests;
    c->has_segments |= f->segment;
    if ( f->segment )
        return;
    c->clock = *f->clock;
    c->late = xt_clock_cycles(&c->clock, c->tolerance_ns);
    c->skew = xt_clock_cycles(&c->clock, SCHED_SKEW_NS);
    c->window = xt_clock_cycles(&c->clock, SCHED_WINDOW_NS);
}

/* Times of the next segment cannot be compared. */
static void forget_segment(struct sched_checks *c)
{
    sched_rtds_forget(c);
    for ( uint32_t i = 0; i < c->nr_pcpus; i++ )
    {
        sched_frames_forget(&c->pcpus[i]);
        c->pcpus[i] = (struct sched_pcpu){ .frames = c->pcpus[i].frames };
    }
    for ( uint32_t i = 0; i < c->nr_vcpus; i++ )
        if ( c->vcpus[i] )
        {
            sched_share_close(c, c->vcpus[i]);
            c->vcpus[i]->state = STATE_INIT;
            c->vcpus[i]->since = c->vcpus[i]->known_to = 0;
            c->vcpus[i]->wanting_since = 0;
            c->vcpus[i]->yielded = c->vcpus[i]->window_end = 0;
            c->vcpus[i]->ran_on = FACT_NO_PCPU;
            c->vcpus[i]->is_active = false;
        }
    c->active.nr = 0;
    c->window_end = 0;
}

static int checks_end(void *state, const struct fact_end *f, struct err *e)
{
    struct sched_checks *c = state;

    for ( uint32_t i = 0; i < c->nr_pcpus; i++ )
        end_slice(c, i, c->pcpus[i].last);
    /* Records in the wrong order, since clocks differ, break no rule. */
    if ( !f->anomalies[ANOMALY_TRANSITION] )
        c->changes.broken = 0;
    sched_add_result(&c->rules[RULE_RUNSTATE], &c->changes);
    c->changes = (struct sched_result){ .tested = 0 };
    forget_segment(c);
    return c->failed || c->pool.failed
           ? err_sys(e, -ENOMEM, "cannot check the scheduler") : 0;
}

struct sink sched_checks_sink(struct sched_checks *c)
{
    static const struct sink_ops ops = {
        .name = "scheduler checks", .ordered = true, .begin = checks_begin,
        .end = checks_end, .runstate = checks_runstate, .wait = checks_wait,
        .loss = checks_loss, .pcpu = checks_pcpu, .event = checks_event,
    };

    return (struct sink){ &ops, c };
}

/* --- the end of the trace ------------------------------------------------- */

uint32_t sched_checks_scheduler(const struct sched_checks *c)
{
    if ( !c->seen || (c->seen & (c->seen - 1)) )
        return 0;
    return (uint32_t)__builtin_ctz(c->seen);
}

/* Null pins vcpus, and ARINC653 leaves frames unused. */
static bool is_work_conserving(const struct sched_checks *c, uint16_t domain)
{
    uint32_t scheduler = c->host ? find_scheduler(c->host, domain)
                                 : XT_SCHEDULER_UNKNOWN;

    if ( !scheduler )
        scheduler = sched_checks_scheduler(c);
    return scheduler != XT_SCHEDULER_NULL &&
           scheduler != XT_SCHEDULER_ARINC653;
}

static void check_work(struct sched_checks *c, const struct wait_causes *waits)
{
    struct sched_result *r = &c->rules[RULE_WORK];

    for ( uint32_t i = 0; i < waits->nr_vcpus; i++ )
    {
        const struct wait_vcpu *w = waits->vcpus[i];
        const struct wait_moment *m = &w->worst[WAIT_PLACEMENT];

        if ( !is_work_conserving(c, w->domain) )
            continue;
        r->tested += stats_events(&w->waits);
        if ( !w->long_placements )
            continue;
        sched_count_case(r, &(struct sched_case){
            m->cycles, m->from, m->to, w->domain, w->id, FACT_NO_PCPU });
        r->broken += w->long_placements - 1;
    }
    /* Waits without an end are no complete waits. */
    if ( r->tested < r->broken )
        r->tested = r->broken;
}

void sched_checks_close(struct sched_checks *c,
                        const struct wait_causes *waits,
                        const struct machine_stalls *stalls)
{
    assert(!c->active.nr && !c->window_end);
    sched_subtract_stalls(c, stalls);
    check_work(c, waits);
    sched_frames_close(c);
    if ( sched_checks_scheduler(c) == XT_SCHEDULER_NULL )
        sched_add_result(&c->rules[RULE_NO_WAIT], &c->waits);
}
