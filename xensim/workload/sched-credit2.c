/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A model of the credit2 scheduler. Pcpus share run queues; a vcpu pays for
 * its run time with credit, by its weight; a queue is sorted by credit. If the
 * next vcpu has no credit left, all vcpus of the queue get new credit. A vcpu
 * that becomes runnable tickles a pcpu: an idle one, or the one whose vcpu has
 * the least credit, by a margin. The load of queues is balanced when credit is
 * reset.
 */
#include "xensim/workload/scheduler.h"

#include "xensim/workload/ground-truth.h"
#include "xensim/workload/guest.h"
#include "xensim/workload/trace-emit.h"

#define CREDIT_INIT     10000000            /* ns */
#define CREDIT_MAX      (CREDIT_INIT + 500000)
#define CREDIT_IDLE     (-CREDIT_INIT - 1)
#define NO_BUDGET       INT32_MIN           /* no cap */
#define MIGRATION_COST  500000              /* ns of credit */
#define SLICE_MIN       500000
#define SLICE_MAX       10000000
#define CAP_PERIOD      10000000            /* ns */
#define LOAD_SHIFT      18
#define LOAD_ONE        (1ull << LOAD_SHIFT)
#define LOAD_WINDOW     (1ull << 30)        /* ns */
#define BALANCE_MIN          (LOAD_ONE / 2) /* to balance */

/* ---- load ------------------------------------------------------------- */

static uint64_t decay_load(uint64_t avg, uint64_t now, uint64_t ns)
{
    ns = min(ns, (uint64_t)LOAD_WINDOW);
    return (avg * (LOAD_WINDOW - ns) + now * ns) >> 30;
}

static void queue_load(struct sim_cpu *p, struct runq *q, int change)
{
    uint64_t ns = ns_since(p, q->load_at);

    ASSERT((int)q->load + change >= 0);
    q->avgload = decay_load(q->avgload, q->load * LOAD_ONE, ns);
    q->b_avgload = decay_load(q->b_avgload, q->load * LOAD_ONE, ns);
    q->load_at = true_now(p);
    q->load += change;
    EMIT(p, trace_csched2_update_runq_load(q->avgload, q->b_avgload, q->load,
                                           q->id, LOAD_SHIFT));
}

/* Update the load of queue and vcpu, before the vcpu's change by `change`. */
static void update_load(struct sim_cpu *p, struct runq *q, struct sim_vcpu *v,
                        int change)
{
    EMIT(p, trace_csched2_update_load());
    queue_load(p, q, change);
    if ( !v )
        return;
    v->avgload = decay_load(v->avgload, change > 0 ? 0 : LOAD_ONE,
                            ns_since(p, v->load_at));
    v->load_at = true_now(p);
    EMIT(p, trace_csched2_update_unit_load(v->avgload, v->id, dom_of(v),
                                           LOAD_SHIFT));
}

/* ---- the queue -------------------------------------------------------- */

static unsigned int insert_by_credit(struct runq *q, struct sim_vcpu *v)
{
    struct sim_vcpu **at = &q->head;
    unsigned int position = 0;

    ASSERT(!v->queued);
    for ( ; *at && (*at)->credit >= v->credit; at = &(*at)->next )
        position++;
    v->next = *at;
    *at = v;
    v->queued = true;
    v->tickled = -1;
    return position;
}

static void dequeue_vcpu(struct sim_vcpu *v)
{
    struct sim_vcpu **at = &v->runq->head;

    if ( !v->queued )
        return;
    for ( ; *at != v; at = &(*at)->next )
        ASSERT(*at);            /* a queued vcpu is in its queue */
    *at = v->next;
    v->queued = false;
}

static void add_to_queue(struct runq *q, struct sim_vcpu *v)
{
    struct sim_vcpu **at = &q->all;

    for ( ; *at; at = &(*at)->next_all )
        ASSERT(*at != v);
    *at = v;
    v->next_all = NULL;
    v->runq = q;
    q->nr++;
}

static void remove_from_queue(struct sim_vcpu *v)
{
    struct sim_vcpu **at = &v->runq->all;

    ASSERT(v->runq->nr && !v->queued);
    for ( ; *at != v; at = &(*at)->next_all )
        ASSERT(*at);
    *at = v->next_all;
    v->runq->nr--;
}

/* ---- credit ----------------------------------------------------------- */

static bool has_cap(const struct sim_vcpu *v)
{
    return !is_idle(v) && v->dom->config->cap;
}

static bool has_budget(const struct sim_vcpu *v)
{
    return !has_cap(v) || v->dom->budget > 0;
}

static int64_t full_budget(const struct sim_dom *d)
{
    return (int64_t)CAP_PERIOD * d->config->cap / 100;
}

static void burn_credit(struct sim_cpu *p, struct sim_vcpu *v)
{
    uint64_t now = true_now(p);
    int64_t ns = to_ns(p->sim, now > v->burned_at ? now - v->burned_at : 0);

    if ( is_idle(v) )
        return;
    ASSERT(v->dom->weight && v->dom->weight <= v->runq->max_weight);
    if ( has_cap(v) )
        v->dom->budget -= ns;
    ns = ns * v->runq->max_weight / v->dom->weight;
    v->credit = max(v->credit - ns, (int64_t)-2 * CREDIT_INIT);
    v->burned_at = now;
    EMIT(p, trace_csched2_credit_burn(v->id, dom_of(v), v->credit,
                                      has_cap(v) ? v->dom->budget : NO_BUDGET,
                                      ns));
}

/* Add credit to all vcpus, enough for `next`, the next to run. */
static void reset_credit(struct sim_cpu *p, struct runq *q,
                         struct sim_vcpu *next)
{
    int64_t more = CREDIT_INIT;

    ASSERT(next->credit <= 0);
    while ( next->credit + more <= 0 )
        more += CREDIT_INIT;
    for ( struct sim_vcpu *v = q->all; v; v = v->next_all )
    {
        int64_t before;

        if ( v->state == RUNNING )
            burn_credit(p, v);
        before = v->credit;
        v->credit = min(before + more, (int64_t)CREDIT_MAX);
        EMIT(p, trace_csched2_credit_reset(v->id, dom_of(v), before,
                                           v->credit));
    }
}

/* ---- tickling --------------------------------------------------------- */

static void tickle_pcpu(struct sim_cpu *p, struct sim_vcpu *v,
                        struct sim_cpu *target)
{
    ASSERT(target->online && !target->tickled);
    EMIT(p, trace_csched2_tickle(target->id));
    target->tickled = true;
    v->tickled = target->id;
    request_schedule(p, target);
}

static bool is_idle_pcpu(const struct sim_cpu *c, const struct sim_vcpu *v)
{
    return c->online && !c->tickled && c->runs == &c->idle &&
           may_run_on(v, c->id);
}

static struct sim_cpu *find_idle_pcpu(struct sim_cpu *p,
                                      const struct sim_vcpu *v)
{
    struct sim_cpu *cpus = p->sim->cpus;

    if ( is_idle_pcpu(v->cpu, v) )
        return v->cpu;
    if ( !p->sim->config.tickle_idle )
        return NULL;
    for ( unsigned int i = v->runq->first; i <= v->runq->last; i++ )
        if ( is_idle_pcpu(&cpus[i], v) )
            return &cpus[i];
    return NULL;
}

/* By how much v has a better claim to the target pcpu than its current vcpu. */
static int64_t tickle_score(struct sim_cpu *p, struct sim_vcpu *v,
                            struct sim_cpu *target)
{
    struct sim_vcpu *cur = target->runs;
    int64_t n;

    burn_credit(p, cur);
    n = v->credit - cur->credit - (v->cpu == target ? 0 : MIGRATION_COST);
    if ( n > 0 )
        n += CREDIT_INIT;
    EMIT(p, trace_csched2_tickle_check(cur->id, dom_of(cur), cur->credit, n));
    return n;
}

static bool is_preemptible(const struct sim_cpu *c, const struct sim_vcpu *v)
{
    return c->online && !c->tickled && c->runs != &c->idle &&
           may_run_on(v, c->id);
}

/*
 * Look for a pcpu for v, except for `not`, which has just been tried (or
 * NULL).
 */
static void find_pcpu(struct sim_cpu *p, struct sim_vcpu *v,
                      const struct sim_cpu *not)
{
    struct sim_cpu *cpus = p->sim->cpus, *best = find_idle_pcpu(p, v);
    int64_t most = 0;

    EMIT(p, trace_csched2_tickle_new(v->id, dom_of(v), v->cpu->id,
                                     v->credit));
    if ( !best && v->cpu != not && is_preemptible(v->cpu, v) )
    {
        most = tickle_score(p, v, v->cpu);
        best = most > 0 ? v->cpu : NULL;
    }
    for ( unsigned int i = v->runq->first; !best && i <= v->runq->last; i++ )
        if ( &cpus[i] != v->cpu && &cpus[i] != not &&
             is_preemptible(&cpus[i], v) )
        {
            most = tickle_score(p, v, &cpus[i]);
            best = most > 0 ? &cpus[i] : NULL;
        }
    if ( best )
        tickle_pcpu(p, v, best);
}

static void enqueue_vcpu(struct sim_cpu *p, struct sim_vcpu *v,
                         const struct sim_cpu *not)
{
    unsigned int position = insert_by_credit(v->runq, v);

    ASSERT(v->state == RUNNABLE || v->unparked_at);
    EMIT(p, trace_csched2_runq_pos(v->id, dom_of(v), position));
    find_pcpu(p, v, not);
}

/* ---- vcpus and their queues ------------------------------------------- */

static void update_max_weight(struct sim_cpu *p, struct runq *q)
{
    unsigned int most = 1;

    for ( const struct sim_vcpu *v = q->all; v; v = v->next_all )
        most = max(most, v->dom->weight);
    if ( most == q->max_weight )
        return;
    q->max_weight = most;
    EMIT(p, trace_csched2_runq_max_weight(q->id, most));
}

static bool has_online(const struct sim *s, const struct runq *q,
                       const struct sim_vcpu *v)
{
    for ( unsigned int i = q->first; i <= q->last; i++ )
        if ( s->cpus[i].online && may_run_on(v, i) )
            return true;
    return false;
}

/*
 * The least loaded queue with a pcpu for v, where vcpus that have not run yet
 * count as load. If no queue has one, the first queue.
 */
static struct runq *choose_queue(const struct sim *s,
                                 const struct sim_vcpu *v)
{
    struct runq *best = NULL;
    uint64_t least = UINT64_MAX;

    for ( unsigned int i = 0; i < s->nr_runqs; i++ )
    {
        struct runq *q = &s->runqs[i];
        uint64_t load = q->b_avgload + q->nr * LOAD_ONE;

        if ( has_online(s, q, v) && load < least )
        {
            best = q;
            least = load;
        }
    }
    return best ?: &s->runqs[0];
}

/* A pcpu of the queue, spread over its pcpus. */
static struct sim_cpu *choose_cpu(const struct sim *s, const struct runq *q,
                                  const struct sim_vcpu *v)
{
    unsigned int nr = q->last - q->first + 1;

    ASSERT(q->first <= q->last && q->last < s->config.cpus);
    for ( unsigned int i = 0; i < nr; i++ )
    {
        unsigned int cpu = q->first + (v->id + dom_of(v) + i) % nr;

        if ( s->cpus[cpu].online && may_run_on(v, cpu) )
            return &s->cpus[cpu];
    }
    return &s->cpus[0];
}

static void assign_queue(struct sim_cpu *p, struct sim_vcpu *v, struct runq *q)
{
    add_to_queue(q, v);
    EMIT(p, trace_csched2_runq_assign(v->id, dom_of(v), q->id));
    update_max_weight(p, q);
}

static void emit_picked_cpu(struct sim_cpu *p, const struct sim_vcpu *v,
                            const struct runq *q, const struct sim_cpu *cpu)
{
    EMIT(p, trace_csched2_picked_cpu(q->b_avgload, v->id, dom_of(v), q->id,
                                     cpu->id));
}

/* The domain may run again: queue its parked vcpus. */
static void unpark_vcpus(struct sim_cpu *p, struct sim_dom *d)
{
    for ( unsigned int i = 0; i < d->nr; i++ )
    {
        struct sim_vcpu *v = &d->vcpus[i];

        if ( !v->parked )
            continue;
        v->parked = false;
        runq_lock(p, v->runq);
        v->unparked_at = true_now(p);
        truth_end_park(p, v);
        if ( is_runnable(v) && v->state != RUNNING && !v->queued )
        {
            update_load(p, v->runq, v, 1);
            enqueue_vcpu(p, v, NULL);
        }
        runq_unlock(p, v->runq);
    }
}

static void replenish_budget(struct sim_cpu *p, struct event *e)
{
    struct sim_dom *d = container_of(e, struct sim_dom, replenish);

    enter_xen(p, TIMER_VECTOR);
    d->budget = min(d->budget + full_budget(d), full_budget(d));
    if ( d->budget > 0 )
        unpark_vcpus(p, d);
    event_at(p, e, true_now(p) + to_cycles(p->sim, CAP_PERIOD));
    leave_xen(p);
}

static void begin_cap(struct sim_cpu *p, struct sim_dom *d)
{
    d->budget = full_budget(d);
    d->replenish.callback = replenish_budget;
    event_at(&p->sim->cpus[0], &d->replenish,
             true_now(p) + to_cycles(p->sim, CAP_PERIOD));
}

static void credit2_add(struct sim_cpu *p, struct sim_vcpu *v)
{
    struct sim *s = p->sim;
    struct runq *q = choose_queue(s, v);

    runq_lock(p, q);
    vcpu_set_cpu(p, v, choose_cpu(s, q, v));
    emit_picked_cpu(p, v, q, v->cpu);
    if ( has_cap(v) && !event_is_queued(&v->dom->replenish) )
        begin_cap(p, v->dom);
    v->credit = CREDIT_INIT;
    v->avgload = LOAD_ONE;
    v->load_at = true_now(p);
    assign_queue(p, v, q);
    runq_unlock(p, q);
}

static void credit2_remove(struct sim_cpu *p, struct sim_vcpu *v)
{
    if ( event_is_queued(&v->dom->replenish) )
        event_drop(p->sim, &v->dom->replenish);
    dequeue_vcpu(v);
    remove_from_queue(v);
    update_max_weight(p, v->runq);
}

static void credit2_reweigh(struct sim_cpu *p, struct sim_vcpu *v)
{
    update_max_weight(p, v->runq);
}

static void credit2_wake(struct sim_cpu *p, struct sim_vcpu *v)
{
    update_load(p, v->runq, v, 1);
    enqueue_vcpu(p, v, NULL);
}

static void credit2_sleep(struct sim_cpu *p, struct sim_vcpu *v)
{
    if ( !v->queued )
        return;                 /* parked */
    dequeue_vcpu(v);
    update_load(p, v->runq, v, -1);
}

static void credit2_context_saved(struct sim_cpu *p, struct sim_vcpu *v)
{
    ASSERT(!v->queued);
    runq_lock(p, v->runq);
    if ( v->state == RUNNABLE )
        enqueue_vcpu(p, v, p);
    else
        update_load(p, v->runq, v, -1);
    runq_unlock(p, v->runq);
}

/* ---- balance ---------------------------------------------------------- */

/* Move a vcpu that waits, or does not run, to another queue. */
static void migrate_vcpu(struct sim_cpu *p, struct sim_vcpu *v, struct runq *to)
{
    struct runq *from = v->runq;
    bool waits = v->queued;

    ASSERT(to != from);
    EMIT(p, trace_csched2_migrate(v->id, dom_of(v), from->id, to->id));
    if ( waits )
    {
        dequeue_vcpu(v);
        update_load(p, from, v, -1);
    }
    remove_from_queue(v);
    update_max_weight(p, from);
    vcpu_set_cpu(p, v, choose_cpu(p->sim, to, v));
    assign_queue(p, v, to);
    if ( waits )
    {
        update_load(p, to, v, 1);
        enqueue_vcpu(p, v, NULL);
    }
    ASSERT(v->runq == to && v->queued == waits);
}

/* Choose a pcpu in the vcpu's queue, or another queue if needed. */
static void credit2_choose_cpu(struct sim_cpu *p, struct sim_vcpu *v)
{
    const struct sim *s = p->sim;
    struct runq *from = v->runq;
    struct runq *q = has_online(s, from, v) ? from : choose_queue(s, v);

    runq_lock(p, from);
    runq_lock(p, q);
    emit_picked_cpu(p, v, q, choose_cpu(s, q, v));
    if ( q != from )
        migrate_vcpu(p, v, q);
    else
        vcpu_set_cpu(p, v, choose_cpu(s, q, v));
    runq_unlock(p, q);
    runq_unlock(p, from);
}

static uint64_t load_difference(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

static struct runq *most_different(struct sim_cpu *p, const struct runq *q)
{
    struct sim *s = p->sim;
    struct runq *best = NULL;
    uint64_t most = 0;

    for ( unsigned int i = 0; i < s->nr_runqs; i++ )
    {
        struct runq *other = &s->runqs[i];
        uint64_t d = load_difference(q->b_avgload, other->b_avgload);

        if ( other == q || !s->cpus[other->first].online )
            continue;
        if ( d <= most )
            continue;
        EMIT(p, trace_csched2_load_check(q->id, other->id, d));
        best = other;
        most = d;
    }
    return most >= BALANCE_MIN ? best : NULL;
}

/* The first waiting vcpu that may run in the other queue. */
static struct sim_vcpu *find_migratable(const struct sim *s,
                                        const struct runq *from,
                                        const struct runq *to)
{
    struct sim_vcpu *v = from->head;

    while ( v && !has_online(s, to, v) )
        v = v->next;
    return v;
}

static void balance_queues(struct sim_cpu *p, struct runq *q)
{
    struct runq *other, *from, *to;
    struct sim_vcpu *v;

    queue_load(p, q, 0);
    other = most_different(p, q);
    if ( !other )
        return;
    ASSERT(other != q);
    runq_lock(p, other);
    EMIT(p, trace_csched2_load_balance(q->b_avgload, other->b_avgload, q->id,
                                       other->id));
    from = q->b_avgload > other->b_avgload ? q : other;
    to = from == q ? other : q;
    v = find_migratable(p->sim, from, to);
    if ( v )
        migrate_vcpu(p, v, to);
    runq_unlock(p, other);
}

/* ---- choice of the next vcpu ------------------------------------------ */

static bool is_ratelimited(struct sim_cpu *p, const struct sim_vcpu *cur)
{
    return !is_idle(cur) && !cur->yielding && is_runnable(cur) &&
           may_run_on(cur, p->id) &&
           ns_since(p, cur->since) < p->sim->config.ratelimit;
}

/*
 * Return true if v may run here instead of `than`. A vcpu that has tickled
 * another pcpu waits for that pcpu.
 */
static bool is_eligible(const struct sim_cpu *p, const struct sim_vcpu *v,
                        const struct sim_vcpu *than)
{
    const struct sim_cpu *promised = &p->sim->cpus[max(v->tickled, 0)];
    int64_t least = is_idle(than) ? INT64_MIN : than->credit;

    ASSERT(v != than);
    if ( !may_run_on(v, p->id) )
        return false;
    if ( v->tickled >= 0 && promised != p && promised->tickled )
        return false;
    if ( v->cpu != p && !is_idle(than) && !than->yielding )
        least += MIGRATION_COST;
    return than->yielding || v->credit > least;
}

/*
 * The budget of the vcpu's domain is used up. The vcpu leaves its pcpu, and is
 * offline; or the queue, and stays runnable.
 */
static void park_vcpu(struct sim_cpu *p, struct sim_vcpu *v)
{
    ASSERT(!v->parked && !has_budget(v));
    v->parked = true;
    v->unparked_at = 0;
    if ( v->queued )
    {
        dequeue_vcpu(v);
        update_load(p, v->runq, v, -1);
    }
    truth_begin_park(p, v);
}

static struct sim_vcpu *pick_candidate(struct sim_cpu *p)
{
    struct sim_vcpu *cur = p->runs, *best = &p->idle, *next;
    int tickled = -1;

    if ( p->online && is_ratelimited(p, cur) )
    {
        EMIT(p, trace_csched2_ratelimit(cur->id, dom_of(cur),
                                        ns_since(p, cur->since)));
        truth_begin_span(p, &p->limits);
        return cur;
    }
    if ( p->online && is_runnable(cur) && !is_idle(cur) &&
         may_run_on(cur, p->id) )
        best = cur;
    for ( struct sim_vcpu *v = p->runq->head; p->online && v; v = next )
    {
        next = v->next;
        EMIT(p, trace_csched2_runq_cand_check(v->id, dom_of(v)));
        if ( !is_eligible(p, v, best) )
            continue;
        if ( !has_budget(v) )
        {
            park_vcpu(p, v);
            continue;
        }
        best = v;
        tickled = v->tickled;
        break;
    }
    EMIT(p, trace_csched2_runq_candidate(best->id, dom_of(best), tickled,
                                         is_idle(best) ? CREDIT_IDLE
                                                       : best->credit));
    return best;
}

/*
 * The time slice of v: until its credit falls below that of the first waiting
 * vcpu, within the limits.
 */
static int64_t slice_of(const struct sim_cpu *p, const struct sim_vcpu *v)
{
    const struct sim_vcpu *waits = p->runq->head;
    int64_t limit = p->sim->config.ratelimit, ns = v->credit;

    if ( is_idle(v) )
        return -1;
    if ( waits && waits->credit > 0 )
        ns -= waits->credit;
    if ( v == p->runs )
        limit -= min(ns_since(p, v->since), p->sim->config.ratelimit);
    ns = max(ns, max_t(int64_t, limit, SLICE_MIN));
    if ( has_cap(v) )
        ns = min(ns, max_t(int64_t, v->dom->budget, 1));
    return min(ns, (int64_t)SLICE_MAX);
}

static struct sim_vcpu *credit2_pick(struct sim_cpu *p, int64_t *slice)
{
    struct sim_vcpu *cur = p->runs, *next;
    bool tickled = p->tickled;

    EMIT(p, trace_csched2_schedule(p->id, p->runq->id, false, is_idle(cur),
                                   is_idle(cur), tickled));
    truth_end_span(p, &p->limits);
    p->tickled = false;
    burn_credit(p, cur);
    if ( !has_budget(cur) && !cur->blocked )
        park_vcpu(p, cur);
    next = pick_candidate(p);
    cur->yielding = false;

    if ( is_idle(next) )
        update_load(p, p->runq, NULL, 0);
    else if ( next == cur )
        update_load(p, p->runq, next, 0);
    else
        dequeue_vcpu(next);
    if ( !is_idle(next) && next->credit <= 0 )
    {
        reset_credit(p, p->runq, next);
        balance_queues(p, p->runq);
    }
    ASSERT(!next->queued && (is_idle(next) || next->runq == p->runq));
    next->burned_at = true_now(p);
    *slice = slice_of(p, next);
    return next;
}

/* ---- hotplug of pcpus ------------------------------------------------- */

/* Find another queue for the vcpus if this queue has no other pcpu for them. */
static void credit2_leave(struct sim_cpu *p)
{
    struct sim_vcpu *v = p->runq->all, *next;
    struct sim *s = p->sim;

    for ( ; v; v = next )
    {
        next = v->next_all;
        if ( has_online(s, p->runq, v) )
        {
            if ( v->cpu == p )
                vcpu_set_cpu(p, v, choose_cpu(s, p->runq, v));
            if ( v->queued && v->tickled == (int)p->id )
                find_pcpu(p, v, p);
        }
        else if ( choose_queue(s, v) != v->runq )
            migrate_vcpu(p, v, choose_queue(s, v));
    }
}

static void credit2_arrive(struct sim_cpu *p)
{
    p->need_resched = true;
}

const struct scheduler *sched_credit2(void)
{
    static const struct scheduler table = {
        .queues_shared = true,
        .add = credit2_add,
        .remove = credit2_remove,
        .reweigh = credit2_reweigh,
        .choose_cpu = credit2_choose_cpu,
        .wake = credit2_wake,
        .sleep = credit2_sleep,
        .pick = credit2_pick,
        .context_saved = credit2_context_saved,
        .leave = credit2_leave,
        .arrive = credit2_arrive,
    };

    return &table;
}
