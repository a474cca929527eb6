/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records of schedulers tell about waits: the rate limit, tickles, and budgets
 * of vcpus.  Most matter only behind certain others of their pcpu, so that the
 * sink need not get them all.
 */
#include <assert.h>

#include "common/debug.h"
#include "common/fault.h"
#include "libxentrace/internal.h"
#include "libxentrace/readers.h"
#include "xenalyze/account/wait-private.h"

/* --- vcpus without budget ------------------------------------------------- */

void wait_forget_caps(struct wait_causes *w, struct wait_vcpu *v)
{
    debug_assert(w->nr_capped || !v->is_capped);
    w->nr_capped -= v->is_capped;
    v->is_capped = false;
    v->nr_caps = 0;
}

static bool make_room_for_cap(struct wait_causes *w, struct wait_vcpu *v)
{
    uint32_t room = v->caps_room ? 2 * v->caps_room : 4;
    struct wait_cap *larger;

    debug_assert(v->nr_caps <= v->caps_room && v->caps_room <= WAIT_CAPS);
    if ( v->nr_caps < v->caps_room )
        return true;
    if ( v->nr_caps == WAIT_CAPS )
        return false;
    larger = fault_realloc(v->caps, room * sizeof(*larger));
    w->failed |= !larger;
    if ( !larger )
        return false;
    v->caps = larger;
    v->caps_room = room;
    return true;
}

/* From now on the vcpu has no budget, if its state is or becomes `state`. */
static void begin_cap(struct wait_causes *w, struct wait_vcpu *v,
                      unsigned int state, const struct wait_cap *cap)
{
    debug_assert(state == STATE_RUNNABLE || state == STATE_OFFLINE);
    if ( v->is_capped && v->capped_state != state )
        wait_forget_caps(w, v);
    if ( v->nr_caps && v->caps[v->nr_caps - 1].to == UINT64_MAX )
        return;
    if ( !make_room_for_cap(w, v) )
        return;
    w->nr_capped += !v->is_capped;
    v->is_capped = true;
    v->capped_state = state;
    v->caps[v->nr_caps++] = *cap;
}

void wait_begin_cap(struct wait_causes *w, struct wait_vcpu *v,
                    unsigned int state, uint64_t time)
{
    begin_cap(w, v, state, &(struct wait_cap){
        .from = time, .to = UINT64_MAX, .pcpu = FACT_NO_PCPU });
}

static void end_cap(struct wait_causes *w, uint16_t domain, uint16_t id,
                    uint64_t time)
{
    struct wait_vcpu *v = w->nr_capped ? wait_find_vcpu(w, domain, id) : NULL;

    if ( v && v->nr_caps && v->caps[v->nr_caps - 1].to == UINT64_MAX )
        v->caps[v->nr_caps - 1].to = time;
}

/* --- records -------------------------------------------------------------- */

/* A vcpu that has run since before the span, by an event in the span. */
static void note_early_run(struct wait_causes *w, struct wait_pcpu *p,
                           const struct fact_event *f)
{
    if ( !p->is_early || p->current || p->uses.has_begun || !f->vcpu )
        return;
    debug_assert(f->time >= w->first);
    pcpu_uses_begin(&p->uses, w->first);
    wait_set_current(w, p, f->vcpu, vcpu_is_idle(f->vcpu), w->first);
    if ( !vcpu_is_idle(f->vcpu) )
        wait_add_span(w, p, f->time, p->limited ? USE_LIMITED : USE_RUN,
                      f->vcpu);
}

/* The rate limit protects the running vcpu until the next decision. */
static void note_ratelimit(struct wait_causes *w, const struct fact_event *f)
{
    const struct xt_rec_csched2_ratelimit *limit =
        xt_view_csched2_ratelimit(f->record);
    struct wait_pcpu *p = wait_get_pcpu(w, f->pcpu);

    if ( limit && limit->ran > w->longest_limited_ns )
        w->longest_limited_ns = limit->ran;
    if ( p )
        note_early_run(w, p, f);
    if ( !p || !p->uses.has_begun || !p->current ||
         vcpu_is_idle(p->current) )
        return;
    wait_add_span(w, p, f->time, p->limited ? USE_LIMITED : USE_RUN,
                  p->current);
    p->limited = true;
}

static void note_decision(struct wait_causes *w, const struct fact_event *f)
{
    struct wait_pcpu *p = wait_get_pcpu(w, f->pcpu);

    if ( p )
        note_early_run(w, p, f);
    if ( p && p->limited && p->current )
    {
        wait_add_span(w, p, f->time, USE_LIMITED, p->current);
        p->limited = false;
    }
}

/* All schedulers have the same record. */
static void note_tickle(struct wait_causes *w, const struct fact_event *f)
{
    uint32_t pcpu = xt_field_load(f->record, XT_AT(csched2_tickle, cpu));

    w->has_tickles = true;
    if ( f->record->words && pcpu < w->nr_pcpus )
        w->pcpus[pcpu].tickled = f->time;
}

/* The running vcpu has used up its budget. */
static void begin_own_cap(struct wait_causes *w, uint16_t domain, uint16_t id,
                          unsigned int state, uint64_t time)
{
    struct wait_vcpu *v = wait_find_vcpu(w, domain, id);

    if ( v )
        wait_begin_cap(w, v, state, time);
}

/* The record of a vcpu without budget, or NULL. */
static const struct xt_rec_csched2_credit_burn *
find_credit2_spent(const struct fact_event *f)
{
    const struct xt_rec_csched2_credit_burn *burn =
        xt_view_csched2_credit_burn(f->record);

    /* The least number stands for no cap. */
    return burn && burn->budget <= 0 && burn->budget != INT32_MIN
           ? burn : NULL;
}

static void note_credit2_burn(struct wait_causes *w, const struct fact_event *f)
{
    const struct xt_rec_csched2_credit_burn *burn = find_credit2_spent(f);

    if ( burn )
        begin_own_cap(w, burn->dom, burn->unit, STATE_OFFLINE, f->time);
}

/* Credit2 looks for the next vcpu of the pcpu. */
static void note_credit2_candidate(struct wait_causes *w,
                                   const struct fact_event *f)
{
    const struct xt_rec_csched2_runq_cand_check *c =
        xt_view_csched2_runq_cand_check(f->record);
    struct wait_pcpu *p = wait_get_pcpu(w, f->pcpu);

    if ( p )
        p->candidate = c ? wait_find_vcpu(w, c->dom, c->unit) : NULL;
}

static void note_credit2_choice(struct wait_causes *w,
                                const struct fact_event *f)
{
    struct wait_pcpu *p = wait_get_pcpu(w, f->pcpu);

    if ( p )
        p->candidate = NULL;
}

/*
 * A candidate that no longer counts as load has no budget: it is parked.  A
 * record that changes_candidate() has chosen is about the candidate.
 */
static void note_credit2_load(struct wait_causes *w,
                              const struct fact_event *f)
{
    const struct xt_rec_csched2_update_unit_load *load =
        xt_view_csched2_update_unit_load(f->record);
    struct wait_pcpu *p = wait_get_pcpu(w, f->pcpu);
    struct wait_vcpu *v = p && load && (p->candidate || f->is_chosen)
                          ? wait_find_vcpu(w, load->dom, load->unit) : NULL;

    if ( v && (f->is_chosen || v == p->candidate) && v->waiting_since )
        begin_cap(w, v, v->state, &(struct wait_cap){
            .from = f->time, .to = UINT64_MAX, .tickled = p->tickled,
            .pcpu = f->pcpu });
}

static void note_credit2_queued(struct wait_causes *w,
                                const struct fact_event *f)
{
    const struct xt_rec_csched2_runq_pos *pos =
        xt_view_csched2_runq_pos(f->record);

    if ( pos )
        end_cap(w, pos->dom, pos->unit, f->time);
}

static const struct xt_rec_rtds_budget_burn *
find_rtds_spent(const struct fact_event *f)
{
    const struct xt_rec_rtds_budget_burn *burn =
        xt_view_rtds_budget_burn(f->record);

    return burn && !burn->budget ? burn : NULL;
}

static void note_rtds_burn(struct wait_causes *w, const struct fact_event *f)
{
    const struct xt_rec_rtds_budget_burn *burn = find_rtds_spent(f);

    if ( burn )
        begin_own_cap(w, burn->dom, burn->unit, STATE_RUNNABLE, f->time);
}

static void note_rtds_replenish(struct wait_causes *w,
                                const struct fact_event *f)
{
    const struct xt_rec_rtds_budget_replenish *more =
        xt_view_rtds_budget_replenish(f->record);

    if ( more )
        end_cap(w, more->dom, more->unit, f->time);
}

/* --- which of them matter ------------------------------------------------- */

#define IS_LIMITED 1u           /* ... since the last decision */
#define IS_DECIDED 2u           /* a decision has named the vcpu */
#define HAS_CANDIDATE 4u

static bool begins_limit(struct fact_event_memory *m,
                         const struct fact_event *f)
{
    (void)f;
    m->flags |= IS_LIMITED;
    return true;
}

/* The end of a limit, or what tells which vcpu has run since the begin. */
static bool ends_limit(struct fact_event_memory *m, const struct fact_event *f)
{
    bool matters = (m->flags & (IS_LIMITED | IS_DECIDED)) != IS_DECIDED;

    m->flags &= ~IS_LIMITED;
    if ( f->vcpu )
        m->flags |= IS_DECIDED;
    return matters;
}

/* Only changes_candidate() needs to know the candidate. */
static bool names_candidate(struct fact_event_memory *m,
                            const struct fact_event *f)
{
    const struct xt_rec_csched2_runq_cand_check *c =
        xt_view_csched2_runq_cand_check(f->record);

    m->flags &= ~HAS_CANDIDATE;
    if ( c )
    {
        m->flags |= HAS_CANDIDATE;
        m->vcpu = xt_vcpu_key(c->dom, c->unit);
    }
    return false;
}

static bool ends_search(struct fact_event_memory *m, const struct fact_event *f)
{
    (void)f;
    m->flags &= ~HAS_CANDIDATE;
    return false;
}

static bool changes_candidate(struct fact_event_memory *m,
                              const struct fact_event *f)
{
    const struct xt_rec_csched2_update_unit_load *load =
        xt_view_csched2_update_unit_load(f->record);

    return load && m->flags & HAS_CANDIDATE &&
           m->vcpu == xt_vcpu_key(load->dom, load->unit);
}

static bool is_credit2_spent(struct fact_event_memory *m,
                             const struct fact_event *f)
{
    (void)m;
    return find_credit2_spent(f);
}

static bool is_rtds_spent(struct fact_event_memory *m,
                          const struct fact_event *f)
{
    (void)m;
    return find_rtds_spent(f);
}

/* --- all records ---------------------------------------------------------- */

/* By the number of the scheduler, and of its event.  NULL: all matter. */
static const struct scheduler_note
{
    void (*note)(struct wait_causes *w, const struct fact_event *f);
    fact_event_filter *matters;
}
scheduler_notes[8][32] = {
    [TRC_SCHED_CSCHED] = {
        [0x06] = { note_tickle, NULL },
        [0x09] = { note_decision, ends_limit },
        [0x0a] = { note_ratelimit, begins_limit },
    },
    [TRC_SCHED_CSCHED2] = {
        [0x02] = { note_credit2_queued, NULL },
        [0x03] = { note_credit2_burn, is_credit2_spent },
        [0x06] = { note_tickle, NULL },
        [0x0b] = { note_credit2_load, changes_candidate },
        [0x14] = { note_credit2_choice, ends_search },
        [0x15] = { note_decision, ends_limit },
        [0x16] = { note_ratelimit, begins_limit },
        [0x17] = { note_credit2_candidate, names_candidate },
    },
    [TRC_SCHED_RTDS] = {
        [0x01] = { note_tickle, NULL },
        [0x03] = { note_rtds_burn, is_rtds_spent },
        [0x04] = { note_rtds_replenish, NULL },
    },
};

/* Before the span, the vcpu that runs may be unknown. */
static void note_early_limit(struct wait_causes *w, const struct fact_event *f,
                             bool is_limited)
{
    struct wait_pcpu *p = wait_get_pcpu(w, f->pcpu);

    if ( !p )
        return;
    p->is_early = true;
    p->limited = is_limited;
}

static const struct scheduler_note *find_note(uint32_t event)
{
    static const struct scheduler_note none;
    unsigned int minor = event & (TRC_SCHED_EVT_MASK & 0xfff);
    unsigned int id = (event & TRC_SCHED_ID_MASK) >> TRC_SCHED_ID_SHIFT;

    return minor < 32 ? &scheduler_notes[id][minor] : &none;
}

static void note_scheduler(struct wait_causes *w, const struct fact_event *f)
{
    void (*note)(struct wait_causes *w, const struct fact_event *f) =
        find_note(f->record->event)->note;

    w->has_scheduler = true;
    if ( !note )
        return;
    if ( f->time < w->first &&
         (note == note_ratelimit || note == note_decision) )
        note_early_limit(w, f, note == note_ratelimit);
    else
        note(w, f);
}

static bool is_scheduler_event(uint32_t event)
{
    return event >> TRC_SUBCLS_SHIFT == TRC_SCHED_CLASS >> TRC_SUBCLS_SHIFT;
}

/* Any record of the scheduler sets has_scheduler. */
enum fact_event_need wait_needs_event(uint32_t event)
{
    const struct scheduler_note *n = find_note(event);

    if ( is_scheduler_event(event) )
        return n->matters ? NEED_SOME_EVENTS
                          : n->note ? NEED_EVENT : NEED_FIRST_EVENT;
    return event == TRC_SCHED_SLEEP || event == TRC_SCHED_WAKE
           ? NEED_EVENT : NEED_NO_EVENT;
}

fact_event_filter *wait_event_filter(uint32_t event)
{
    const struct scheduler_note *n = find_note(event);

    assert(n->matters);
    return n->matters;
}

void wait_add_event(void *state, const struct fact_event *f)
{
    const struct wait_causes *w = state;
    uint32_t event = f->record->event;

    if ( is_scheduler_event(event) )
        note_scheduler(state, f);
    else if ( f->time < w->first )
        return;
    else if ( event == TRC_SCHED_SLEEP || event == TRC_SCHED_WAKE )
        wait_note_pause(state, f);
}
