/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runstates of vcpus, over all pcpus: apply changes in the order of time.
 *
 * A record names the old and the new state; mismatch.c handles an old state
 * that differs from the known state.
 *
 * Until the first record that puts a vcpu on a pcpu, its facts are marked
 * `before_first_run`, and its domain does not count it.
 *
 * The hot path of a change (vcpu_enter_state(), vcpu_emit_state(), the
 * domain's census) is inline; rare changes call the out-of-line vcpu_enter()
 * and vcpu_emit().
 */
#include <stddef.h>
#include <string.h>

#include "common/compiler.h"
#include "common/debug.h"
#include "xenalyze/machine/mismatch.h"
#include "xenalyze/machine/rivals.h"

/* --- domains -------------------------------------------------------------- */

/*
 * The state of a domain, by a bitmap of the states that its vcpus are in.
 * Unknown vcpus count only when all are unknown.
 */
static const uint8_t domain_states[8] = {
    DOMAIN_LOST,
    DOMAIN_FULL_RUN,                    /* 1: some run */
    DOMAIN_FULL_CONTENTION,             /* 2: some are runnable */
    DOMAIN_CONCURRENCY_HAZARD,
    DOMAIN_BLOCKED,                     /* 4: some are blocked */
    DOMAIN_PARTIAL_RUN,
    DOMAIN_PARTIAL_CONTENTION,
    DOMAIN_CONCURRENCY_HAZARD,
};

/* The contribution of a vcpu to its domain's census. */
static const uint64_t census[STATES] = {
    [STATE_RUNNING] = FACT_CENSUS(CENSUS_RUNNING),
    [STATE_RUNNABLE] = FACT_CENSUS(CENSUS_RUNNABLE),
    [STATE_BLOCKED] = FACT_CENSUS(CENSUS_BLOCKED),
    [STATE_OFFLINE] = FACT_CENSUS(CENSUS_BLOCKED),
    [STATE_QUEUED] = FACT_CENSUS(CENSUS_BLOCKED),
    [STATE_INIT] = FACT_CENSUS(CENSUS_BLOCKED),
};

/*
 * A bit for each field of the census that is not 0, without a branch, since
 * every change of a vcpu needs the result: adding (spare - 1) to a field that
 * is not 0 carries into its spare bit, and a multiplication moves the three
 * spare bits to the top.
 */
static inline unsigned int census_kinds(uint64_t counts)
{
    const uint64_t ones = FACT_CENSUS(0) | FACT_CENSUS(1) | FACT_CENSUS(2);
    const uint64_t spare = ones << (FACT_CENSUS_BITS - 1);
    const uint64_t gather = UINT64_C(1) << 41 | 1 << 21 | 1 << 1;

    _Static_assert(CENSUS_KINDS == 3 && FACT_CENSUS_BITS == 21,
                   "bits 20, 41, 62 become 61, 62, 63");
    return ((counts + spare - ones) & spare) * gather >> 61;
}

/* The domain is about to change: emit the fact in progress. */
static inline void domain_emit_state(struct global *g, struct domain_state *d,
                                     uint64_t time)
{
    if ( d->known )
    {
        d->fact.to = time > d->fact.from ? time : d->fact.from;
        emit_domain(&g->emit, &d->fact);
        time = d->fact.to;
    }
    else
        d->fact.since = time;
    d->known = true;
    d->fact.from = time;
}

static inline void domain_count(struct fact_domain *f, uint64_t difference)
{
    f->census += difference;
    debug_assert(f->census >> CENSUS_KINDS * FACT_CENSUS_BITS == 0);
    f->state = domain_states[census_kinds(f->census)];
}

static inline void domain_change_vcpu(struct global *g, struct domain_state *d,
                                      unsigned int old, unsigned int new,
                                      uint64_t time)
{
    domain_emit_state(g, d, time);
    domain_count(&d->fact, census[new] - census[old]);
}

/* No vcpu is known: tell lost records from the end of records. */
static void name_unknown_state(struct fact_domain *f)
{
    if ( !f->census )
        f->state = f->ended == f->nr_vcpus ? DOMAIN_NO_DATA : DOMAIN_LOST;
}

/* Count a vcpu that is first seen running; its state does not change. */
static void domain_add_vcpu(struct global *g, const struct vcpu_state *v)
{
    struct domain_state *d = v->domain;

    domain_emit_state(g, d, v->fact.from);
    d->fact.nr_vcpus++;
    domain_count(&d->fact, census[v->fact.state]);
    d->fact.ended += v->ended;
    name_unknown_state(&d->fact);
}

static void vcpu_mark_seen(struct global *g, struct vcpu_state *v)
{
    if ( !v->fact.before_first_run )
        return;
    v->fact.before_first_run = false;
    domain_add_vcpu(g, v);
}

/* --- from one state to the next ------------------------------------------- */

/* Why a vcpu becomes runnable, by its old state. */
static const uint8_t why_runnable[STATES] = {
    [STATE_RUNNING] = WHY_PREEMPT, [STATE_RUNNABLE] = WHY_OTHER,
    [STATE_BLOCKED] = WHY_WAKE, [STATE_OFFLINE] = WHY_WAKE,
    [STATE_LOST] = WHY_OTHER, [STATE_QUEUED] = WHY_OTHER,
    [STATE_INIT] = WHY_OTHER, [STATE_NO_DATA] = WHY_OTHER,
};

/* Emit the fact in progress; the vcpu's state does not change. */
static inline void vcpu_emit_state(struct global *g, struct vcpu_state *v,
                                   unsigned int next, unsigned int next_why,
                                   uint64_t time, uint32_t pcpu)
{
    debug_assert(v->known && next <= STATES);
    /* The facts of a vcpu follow without a gap. */
    debug_assert(!v->fact.to || v->fact.to == v->fact.from);
    v->fact.to = time;
    v->fact.next = next;
    v->fact.next_why = next_why;
    v->fact.next_pcpu = pcpu;
    emit_runstate(&g->emit, &v->fact);
}

static bool is_off_cpu(unsigned int state)
{
    return state != STATE_RUNNING && !state_is_unknown(state);
}

/*
 * Keep runnable and blocked vcpus on a list: a loss has to mark all of them
 * unknown.
 */
static inline void list_off_cpu(struct global *g, struct vcpu_state *v)
{
    if ( v->listed || !is_off_cpu(v->fact.state) )
        return;
    debug_assert(v->known);
    v->next = g->off_cpu;
    v->listed = true;
    g->off_cpu = v;
}

/*
 * The vcpu was running when the records of its pcpu ended, or a later record
 * of it was found after all.
 */
COLD
static void update_ended(struct vcpu_state *v)
{
    if ( !v->fact.before_first_run )
    {
        v->domain->fact.ended += v->ending - v->ended;
        name_unknown_state(&v->domain->fact);
    }
    debug_assert(v->domain->fact.ended <= v->domain->fact.nr_vcpus);
    v->ended = v->ending;
    v->ending = false;
}

/* Set the state, and count the vcpu in that state of its domain. */
static inline void vcpu_set_state(struct global *g, struct vcpu_state *v,
                                  unsigned int state, uint64_t time)
{
    debug_assert(state < STATES);
    if ( !v->fact.before_first_run )
        domain_change_vcpu(g, v->domain, v->fact.state, state, time);
    if ( v->ending || v->ended )
        update_ended(v);
    v->fact.state = state;
}

static inline void vcpu_enter_state(struct global *g, struct vcpu_state *v,
                                    unsigned int state, uint64_t time,
                                    uint32_t pcpu)
{
    unsigned int why = state == STATE_RUNNABLE ? why_runnable[v->fact.state]
                                               : WHY_NONE;

    vcpu_emit_state(g, v, state, why, time, pcpu);
    vcpu_set_state(g, v, state, time);
    v->fact.why = why;
    v->fact.from = time;
    list_off_cpu(g, v);
    if ( why )
        vcpu_begin_wait(g, v);
}

/*
 * The vcpu's state becomes unknown.  Without a loss, its next record begins
 * with the state behind the last one.
 */
static void note_last_state(struct vcpu_state *v, unsigned int state)
{
    if ( state_is_unknown(v->fact.state) )
        return;
    v->order.has_last = state == STATE_NO_DATA;
    v->order.last = v->fact.state;
}

COLD
void vcpu_enter(struct global *g, struct vcpu_state *v, unsigned int state,
                uint64_t time, uint32_t pcpu)
{
    if ( v->fact.state == STATE_RUNNABLE )
        wait_emit_open(g, v, FACT_NO_PCPU, time);
    note_last_state(v, state);
    vcpu_enter_state(g, v, state, time, pcpu);
    if ( state == STATE_BLOCKED )
        v->fact.waker = NULL;
    v->is_unnamed = false;
}

COLD
void vcpu_correct_state(struct global *g, struct vcpu_state *v,
                        unsigned int state, uint64_t time)
{
    debug_assert(v->known);
    note_last_state(v, state);
    vcpu_set_state(g, v, state, time);
    v->fact.why = WHY_NONE;
}

/* --- the state of a vcpu -------------------------------------------------- */

/*
 * First record of a vcpu: the vcpu has been in the record's old state since
 * the last loss, or since its domain was created.
 */
COLD
static void init_vcpu_state(struct global *g, struct vcpu_state *v,
                            const struct change *c)
{
    uint64_t begin;

    debug_assert(c->vcpu && !v->known);
    v->fact.vcpu = c->vcpu;
    v->domain = c->vcpu->domain->machine;
    v->domain->fact.domain = c->vcpu->domain;
    v->known = v->fact.before_first_run = true;
    v->sibling = v->domain->vcpus;
    v->domain->vcpus = v;
    begin = v->domain->created > g->first ? v->domain->created : g->first;
    v->fact.from = v->fact.since = begin;
    v->fact.to = 0;
    v->fact.why = WHY_NONE;
    if ( !v->has_pcpu )
        v->fact.pcpu = FACT_NO_PCPU;
    v->fact.state = STATE_LOST;
    if ( g->lost_pcpus )
        return;
    if ( g->certain_since > begin )
        vcpu_emit_state(g, v, c->old, WHY_NONE, g->certain_since, c->pcpu);
    if ( g->certain_since > begin )
        v->fact.from = g->certain_since;
    v->fact.state = c->old;
    v->is_unnamed = c->old == STATE_RUNNING &&
                    current_has_run_since(&g->pcpus[c->pcpu], v->fact.from);
    if ( v->is_unnamed )
        v->fact.state = STATE_NO_DATA;
    else if ( !v->has_pcpu && c->old == STATE_RUNNING )
        v->fact.pcpu = c->pcpu;
    list_off_cpu(g, v);
}

/*
 * Is this the last record of a vcpu whose life has ended?  A vcpu that runs is
 * alive: the record of its domain's creation is missing.
 */
COLD
static bool is_after_life(const struct change *c)
{
    const struct domain_state *d = c->vcpu->domain->machine;

    debug_assert(!vcpu_get_state(c->vcpu)->known);
    return d->dying && c->new != STATE_RUNNING;
}

/* The record is the first one of its vcpu: does the one before name it, too? */
COLD
static bool is_other_vcpu(const struct change *c)
{
    uint64_t key = xt_vcpu_key(c->vcpu->domain->id, c->vcpu->id);

    debug_assert(!vcpu_get_state(c->vcpu)->known);
    return c->doubtful ||
           (c->kind == CHANGE_ARRIVE && c->number && c->number != key + 1);
}

static inline struct vcpu_state *find_vcpu_state(struct global *g,
                                                 const struct change *c)
{
    struct vcpu_state *v = vcpu_get_state(c->vcpu);

    if ( !v->known )
        init_vcpu_state(g, v, c);
    return v;
}

static void vcpu_migrate(struct global *g, struct vcpu_state *v, uint32_t pcpu,
                         uint64_t time)
{
    struct fact_residency f = {
        .vcpu = v->fact.vcpu, .from = v->pcpu_since, .to = time,
        .pcpu = v->fact.pcpu, .next = pcpu,
    };

    debug_assert(!v->has_pcpu || v->fact.pcpu != pcpu);
    if ( v->has_pcpu )
        emit_residency(&g->emit, &f);
    v->has_pcpu = true;
    v->pcpu_since = time;
    v->fact.pcpu = pcpu;
}

static inline void vcpu_set_pcpu(struct global *g, struct vcpu_state *v,
                                 uint32_t pcpu, uint64_t time)
{
    if ( !v->has_pcpu || v->fact.pcpu != pcpu )
        vcpu_migrate(g, v, pcpu, time);
}

/*
 * The vcpu of a change of runstate, which is counted if Xen does not make it;
 * NULL: the record is not plausible.
 */
static inline struct vcpu_state *check_old_state(struct global *g,
                                                 const struct change *c)
{
    struct vcpu_state *v = vcpu_get_state(c->vcpu);

    if ( !v->known && (is_other_vcpu(c) || is_after_life(c)) )
        return NULL;
    v = find_vcpu_state(g, c);
    g->anomalies[ANOMALY_TRANSITION] +=
        !state_change_is_possible(c->old, c->new);
    return v->fact.state == c->old || vcpu_accept_record(g, v, c) ? v : NULL;
}

/* --- changes of runstates ------------------------------------------------- */

/* Length of the last pause of an exit, up to `until`. */
static uint64_t get_pause(const struct open_exit *o, uint64_t until)
{
    uint64_t from = o->blocked_at < o->exit.start ? o->exit.start
                                                  : o->blocked_at;

    return until > from ? until - from : 0;
}

/*
 * The vcpu is off its pcpu until the exit ends, or until the vcpu runs again:
 * after a pause without a wake-up, the exit ends with the VM entry.
 */
COLD
static void emit_exit_block_of(struct global *g, const struct vcpu_state *v,
                               uint64_t end)
{
    struct open_exit *o = v->open_exit;
    uint64_t until = o->exit.start + o->exit.cycles, cycles;

    if ( v->fact.state == STATE_RUNNING && v->fact.from >= o->blocked_at &&
         v->fact.from < end )
        until = v->fact.from;
    cycles = o->off_cpu + get_pause(o, until);
    if ( cycles )
        exit_emit_block(&g->emit, o, cycles);
}

/*
 * The vcpu ran after a pause without a wake-up, and is paused again before its
 * exit ends.
 */
COLD
static void begin_another_pause(const struct vcpu_state *v, uint64_t time)
{
    struct open_exit *o = v->open_exit;

    if ( v->fact.state != STATE_RUNNING || v->fact.from < o->blocked_at )
        return;
    o->off_cpu += get_pause(o, v->fact.from);
    o->blocked_at = time;
}

static void end_open_exit(struct global *g, struct vcpu_state *v,
                          uint64_t time, unsigned int how)
{
    if ( !v->open_exit || !v->open_exit->open )
        return;
    exit_emit(&g->emit, v->fact.vcpu, v->open_exit, time, how);
    if ( emit_wants_exit_block(&g->emit) )
        emit_exit_block_of(g, v, time);
}

static inline void forget_open_exit(struct vcpu_state *v)
{
    if ( v->open_exit )
        v->open_exit->open = false;
}

static void vcpu_end_life(struct global *g, struct vcpu_state *v, uint64_t time)
{
    debug_assert(v->known && v->fact.state != STATE_RUNNING);
    if ( v->fact.state == STATE_RUNNABLE )
        wait_emit_open(g, v, FACT_NO_PCPU, time);
    vcpu_emit_state(g, v, STATES, WHY_NONE,
                    time > v->fact.from ? time : v->fact.from, FACT_NO_PCPU);
    forget_open_exit(v);
    vcpu_forget_wake(v);
    v->known = v->ending = v->ended = v->is_unnamed = false;
    v->order.has_last = false;
    v->fact.state = STATE_LOST;
}

/*
 * The facts of the domain and of its vcpus end here; only the residency of the
 * vcpus goes on, as in stock.
 */
static void domain_end_life(struct global *g, struct domain_state *d,
                            uint64_t time)
{
    for ( struct vcpu_state *v = d->vcpus; v; v = v->sibling )
        vcpu_end_life(g, v, time);
    if ( d->known )
    {
        d->fact.last = true;
        domain_emit_state(g, d, time);
    }
    *d = (struct domain_state){ .created = time, .dying = true };
}

/*
 * A vcpu of a destroyed domain has stopped behind the record of the
 * destruction, which is one of another pcpu.  Is any other still running?
 */
COLD
static void check_end_of_life(struct global *g, struct domain_state *d,
                              uint64_t time)
{
    debug_assert(d->dying);
    for ( const struct vcpu_state *v = d->vcpus; v; v = v->sibling )
        if ( v->fact.state == STATE_RUNNING || v->fact.state == STATE_RUNNABLE )
            return;
    domain_end_life(g, d, time);
}

static void apply_arrive(struct global *g, const struct change *c)
{
    struct vcpu_state *v;

    if ( g->pcpus[c->pcpu].current && !current_may_arrive(g, c) )
    {
        vcpu_note_ignored(g, vcpu_get_state(c->vcpu), c);
        return;
    }
    v = check_old_state(g, c);
    if ( !v )
        return;
    if ( v->fact.state == STATE_RUNNABLE )
    {
        disorder_add_wait(&g->disorder, v->fact.why == WHY_WAKE
                                        ? v->waker_pcpu : v->fact.pcpu,
                          c->pcpu, c->time - v->fact.from);
        vcpu_end_wait(g, v, c->pcpu, c->time);
    }
    vcpu_enter_state(g, v, STATE_RUNNING, c->time, c->pcpu);
    vcpu_mark_seen(g, v);
    vcpu_set_pcpu(g, v, c->pcpu, c->time);
    global_set_current(g, c->pcpu, v->fact.vcpu, c->time);
}

/*
 * A vcpu that became runnable had arrived on another pcpu before, by the clock
 * of that pcpu: the vcpu does not wait.
 */
COLD
static void arrive_early(struct global *g, struct vcpu_state *v,
                         const struct change *leave)
{
    const struct change c = {
        .time = leave->time, .vcpu = leave->vcpu, .pcpu = v->early.pcpu,
        .kind = CHANGE_ARRIVE, .old = STATE_RUNNABLE, .new = STATE_RUNNING,
    };

    debug_assert(v->early.kind == EARLY_ARRIVE);
    if ( vcpu_end_early(g, v, v->fact.state == c.old, leave) &&
         !g->pcpus[c.pcpu].current )
    {
        /* The record was ignored when it came. */
        vcpu_order_add_jump(&v->order, c.old, c.new);
        apply_arrive(g, &c);
    }
}

static void apply_leave(struct global *g, const struct change *c)
{
    struct global_pcpu *p = &g->pcpus[c->pcpu];
    unsigned int next = c->new;
    struct vcpu_state *v;

    if ( p->current != c->vcpu && !current_may_leave(g, c) )
    {
        vcpu_note_ignored(g, vcpu_get_state(c->vcpu), c);
        return;
    }
    v = check_old_state(g, c);
    if ( c->new == STATE_RUNNABLE )
        end_open_exit(g, vcpu_get_state(c->vcpu), c->time, EXIT_WOKEN);
    if ( !v )
        return;
    /* The pcpu machine has counted a vcpu that leaves where another ran. */
    if ( p->current == v->fact.vcpu )
        global_clear_current(g, c->pcpu, c->time);
    if ( v->early.kind == EARLY_WAKE )
        vcpu_note_wake_in_run(g, v, c);
    if ( c->new == STATE_BLOCKED )
    {
        vcpu_note_halt(g, v, c->time);
        v->fact.waker = NULL;
    }
    if ( v->open_exit && v->open_exit->open )
        begin_another_pause(v, c->time);
    if ( g->lost_pcpus && !vcpu_is_idle(v->fact.vcpu) )
        next = STATE_LOST;
    vcpu_enter_state(g, v, next, c->time, c->pcpu);
    if ( c->new == STATE_OFFLINE && v->domain->dying )
        check_end_of_life(g, v->domain, c->time);
    if ( v->early.kind == EARLY_ARRIVE )
        arrive_early(g, v, c);
}

static void apply_wake(struct global *g, const struct change *c)
{
    struct vcpu_state *v = vcpu_get_state(c->vcpu);

    if ( v->early.kind && vcpu_is_late_wake(g, v, c) )
        return;
    v = check_old_state(g, c);
    end_open_exit(g, vcpu_get_state(c->vcpu), c->time, EXIT_WOKEN);
    if ( !v )
        return;
    vcpu_note_wake(g, v, c);
    vcpu_enter_state(g, v, STATE_RUNNABLE, c->time, c->pcpu);
}

static void apply_state(struct global *g, const struct change *c)
{
    struct vcpu_state *v = check_old_state(g, c);

    if ( !v )
        return;
    vcpu_enter(g, v, c->new, c->time, c->pcpu);
    if ( c->new == STATE_OFFLINE && v->domain->dying )
        check_end_of_life(g, v->domain, c->time);
}

/* First record of a vcpu that has run since its pcpu's records began. */
static void start_running(struct global *g, struct vcpu_state *v,
                          const struct change *c)
{
    uint64_t first = g->pcpus[c->pcpu].first;

    vcpu_set_pcpu(g, v, c->pcpu, first);
    if ( v->fact.from < first && c->number )
        v->fact.state = STATE_NO_DATA;
    if ( v->fact.from < first )
        vcpu_enter(g, v, STATE_RUNNING, first, c->pcpu);
    if ( !c->doubtful )
        vcpu_mark_seen(g, v);
    global_set_current(g, c->pcpu, v->fact.vcpu, v->fact.from);
}

static void apply_continue(struct global *g, const struct change *c)
{
    struct global_pcpu *p = &g->pcpus[c->pcpu];
    bool may = p->current == c->vcpu || current_may_continue(g, c);
    struct vcpu_state *v = may ? find_vcpu_state(g, c) : NULL;

    if ( !may || (v->fact.state != STATE_RUNNING &&
                  !state_is_unknown(v->fact.state)) )
    {
        g->anomalies[ANOMALY_CONTINUE]++;
        return;
    }
    v->is_unnamed = false;
    if ( v->fact.before_first_run && v->fact.state == STATE_RUNNING )
    {
        start_running(g, v, c);
        return;
    }
    if ( p->current != v->fact.vcpu )
        global_set_current(g, c->pcpu, v->fact.vcpu, v->fact.from);
    vcpu_set_pcpu(g, v, c->pcpu, c->time);
    vcpu_enter_state(g, v, STATE_RUNNING, c->time, c->pcpu);
    vcpu_mark_seen(g, v);
}

/* --- exits and interrupts ------------------------------------------------- */

static void apply_exit_blocked(struct global *g, const struct change *c)
{
    struct vcpu_state *v = find_vcpu_state(g, c);
    const struct open_exit *o = c->data;
    size_t bytes = open_exit_size(o);

    debug_assert(o->open);
    if ( emit_wants_exit_pause(&g->emit) )
        emit_exit_pause(&g->emit, &(struct fact_exit_pause){
            .vcpu = v->fact.vcpu, .pcpu = o->exit.pcpu,
            .hardware = o->exit.hardware, .reason = o->exit.reason,
            .start = o->exit.start, .time = c->time });
    if ( bytes > v->exit_bytes )
    {
        v->open_exit = arena_alloc(&g->exits, bytes,
                                   _Alignof(struct open_exit));
        v->exit_bytes = v->open_exit ? bytes : 0;
    }
    if ( !v->open_exit )
    {
        g->failed = true;
        return;
    }
    memcpy(v->open_exit, o, bytes);
    v->open_exit->blocked_at = c->time;
    v->open_exit->off_cpu = 0;
}

static void apply_entry(struct global *g, const struct change *c)
{
    end_open_exit(g, vcpu_get_state(c->vcpu), c->time, EXIT_ENTERED);
}

static void apply_exit(struct global *g, const struct change *c)
{
    (void)g;
    forget_open_exit(vcpu_get_state(c->vcpu));
}

static void apply_inject(struct global *g, const struct change *c)
{
    vcpu_note_interrupt(g, vcpu_get_state(c->vcpu), c);
}

/* --- losses and ends of records ------------------------------------------- */

/*
 * While a pcpu loses records, its current vcpu is unknown, and any vcpu that
 * is not running may be woken there.  Only vcpus running on other pcpus stay
 * known, until they stop.
 */
static void lose_off_cpu(struct global *g, const struct change *c)
{
    struct vcpu_state *v;

    while ( (v = g->off_cpu) )
    {
        debug_assert(v->listed);
        g->off_cpu = v->next;
        v->listed = false;
        if ( !is_off_cpu(v->fact.state) )
            continue;
        vcpu_enter(g, v, STATE_LOST, c->time, c->pcpu);
        vcpu_forget_wake(v);
        forget_open_exit(v);
    }
}

static void apply_loss(struct global *g, const struct change *c)
{
    struct global_pcpu *p = &g->pcpus[c->pcpu];
    const struct vcpu *current = p->current;

    if ( p->lost )
        return;
    global_clear_current(g, c->pcpu, c->time);
    if ( current )
        vcpu_enter(g, vcpu_get_state(current), STATE_LOST, c->time, c->pcpu);
    p->lost = true;
    p->since = c->time;
    g->lost_pcpus++;
    debug_assert(g->lost_pcpus <= g->nr_pcpus);
    lose_off_cpu(g, c);
    debug_assert(!g->off_cpu);
}

/* The LOST record names the running vcpu; no scheduler record confirms it. */
static void set_inferred_current(struct global *g, const struct change *c)
{
    struct vcpu_state *v = find_vcpu_state(g, c);

    vcpu_enter(g, v, STATE_RUNNING, c->time, c->pcpu);
    vcpu_mark_seen(g, v);
    vcpu_set_pcpu(g, v, c->pcpu, c->time);
    global_set_current(g, c->pcpu, v->fact.vcpu, c->time);
    g->pcpus[c->pcpu].inferred = true;
    debug_assert(v->fact.state == STATE_RUNNING && v->fact.pcpu == c->pcpu);
}

static void apply_found(struct global *g, const struct change *c)
{
    struct global_pcpu *p = &g->pcpus[c->pcpu];
    struct fact_loss f = {
        .pcpu = c->pcpu, .from = p->since, .to = c->time,
        .records = c->number, .vcpu = c->vcpu,
    };

    if ( !p->lost )
        return;
    debug_assert(g->lost_pcpus);
    p->lost = false;
    g->lost_pcpus--;
    g->certain_since = c->time;
    emit_loss(&g->emit, &f);
    if ( c->vcpu )
        set_inferred_current(g, c);
}

/* Records of the pcpu may be missing from now on, for an unknown time. */
static void note_missing(struct global *g, const struct change *c)
{
    struct global_pcpu *p = &g->pcpus[c->pcpu];

    if ( !c->doubtful || p->missing )
        return;
    p->missing = true;
    g->missing_pcpus++;
    debug_assert(g->missing_pcpus <= g->nr_pcpus);
}

/* After the last record of a pcpu its current vcpu is unknown. */
static void apply_end(struct global *g, const struct change *c)
{
    const struct vcpu *current = g->pcpus[c->pcpu].current;

    note_missing(g, c);
    global_clear_current(g, c->pcpu, c->time);
    /* With damaged time stamps, the vcpu may already be somewhere else. */
    if ( !current || vcpu_get_state(current)->fact.from > c->time )
        return;
    vcpu_get_state(current)->ending = true;
    vcpu_enter(g, vcpu_get_state(current), STATE_NO_DATA, c->time, c->pcpu);
}

/* A loss of the pcpu has its own state. */
static void apply_silent(struct global *g, const struct change *c)
{
    note_missing(g, c);
    if ( !g->pcpus[c->pcpu].lost )
        apply_end(g, c);
}

static void apply_heard(struct global *g, const struct change *c)
{
    struct global_pcpu *p = &g->pcpus[c->pcpu];

    debug_assert(g->missing_pcpus >= p->missing);
    if ( p->missing )
        g->ordered_since = c->time;
    g->missing_pcpus -= p->missing;
    p->missing = false;
    if ( !p->lost && c->vcpu )
        set_inferred_current(g, c);
}

/* --- domains that come and go --------------------------------------------- */

/* Each of two records may be missing; both come before those of vcpus. */
static void apply_created(struct global *g, const struct change *c)
{
    const struct domain *domain = c->data;
    struct domain_state *d = domain->machine;

    if ( d->dying )
    {
        check_end_of_life(g, d, c->time);
        emit_domain_reuse(&g->emit, &(struct fact_domain_reuse){
            .domain = domain, .time = c->time });
    }
    d->dying = false;
    if ( !d->vcpus )
        d->created = c->time;
}

/*
 * The vcpus of a domain that is destroyed run on until their pcpus notice.  If
 * the record is damaged, the domain goes on to live.
 */
static void apply_destroyed(struct global *g, const struct change *c)
{
    struct domain_state *d = ((struct domain *)c->data)->machine;

    d->dying = true;
    for ( const struct vcpu_state *v = d->vcpus; v; v = v->sibling )
        if ( v->fact.state == STATE_RUNNING )
            return;
    domain_end_life(g, d, c->time);
}

static void apply_counts(struct global *g, const struct change *c)
{
    if ( xt_losses_add(&g->losses, c->data) )
        g->guests->failed = true;
}

static void apply_hvm(struct global *g, const struct change *c)
{
    (void)c;
    emit_begin_hvm(&g->emit);
}

static void apply_fact(struct global *g, const struct change *c)
{
    emit_local(&g->ordered, c->old, c->data);
}

static void apply_moment(struct global *g, const struct change *c)
{
    emit_moment(&g->ordered, c->data);
}

/* --- all changes ---------------------------------------------------------- */

static void (*const apply[CHANGE_KINDS])(struct global *g,
                                         const struct change *c) = {
    [CHANGE_STATE] = apply_state,
    [CHANGE_ARRIVE] = apply_arrive,
    [CHANGE_LEAVE] = apply_leave,
    [CHANGE_WAKE] = apply_wake,
    [CHANGE_CONTINUE] = apply_continue,
    [CHANGE_EXIT_BLOCKED] = apply_exit_blocked,
    [CHANGE_ENTRY] = apply_entry,
    [CHANGE_EXIT] = apply_exit,
    [CHANGE_INJECT] = apply_inject,
    [CHANGE_LOSS] = apply_loss,
    [CHANGE_FOUND] = apply_found,
    [CHANGE_CREATED] = apply_created,
    [CHANGE_DESTROYED] = apply_destroyed,
    [CHANGE_SILENT] = apply_silent,
    [CHANGE_HEARD] = apply_heard,
    [CHANGE_END] = apply_end,
    [CHANGE_COUNTS] = apply_counts,
    [CHANGE_HVM] = apply_hvm,
    [CHANGE_FACT] = apply_fact,
    [CHANGE_MOMENT] = apply_moment,
};

void global_apply(struct global *g, const struct change *c)
{
    debug_assert(c->kind < CHANGE_KINDS);
    /* The facts of a pcpu may begin before its first time stamp. */
    debug_assert(c->kind == CHANGE_FACT || c->kind == CHANGE_MOMENT ||
                 c->pcpu < g->nr_pcpus);
    apply[c->kind](g, c);
}
