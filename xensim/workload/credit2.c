/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A scheduler in the manner of credit2.  Pcpus share run queues; a vcpu pays
 * for its time with credit, by its weight; who has most waits in front.  When
 * the next one to run has none left, all of the queue get new credit.  One
 * that becomes runnable looks for a pcpu to tickle: an idle one, or the one
 * whose vcpu has least credit, by a margin.  Queues are balanced when they
 * are reset.
 */
#include "xensim/workload/sched.h"

#include "xensim/workload/emit.h"

#define CREDIT_INIT     10000000            /* ns */
#define CREDIT_MAX      (CREDIT_INIT + 500000)
#define CREDIT_IDLE     (-CREDIT_INIT - 1)
#define NO_BUDGET       INT32_MIN           /* no cap */
#define MIGRATION_COST  500000              /* ns of credit */
#define SLICE_MIN       500000
#define SLICE_MAX       10000000
#define LOAD_SHIFT      18
#define LOAD_ONE        (1ull << LOAD_SHIFT)
#define LOAD_WINDOW     (1ull << 30)        /* ns */
#define PLENTY          (LOAD_ONE / 2)      /* worth to be balanced */

/* ---- load ------------------------------------------------------------- */

static uint64_t decay(uint64_t avg, uint64_t now, uint64_t ns)
{
    ns = min(ns, (uint64_t)LOAD_WINDOW);
    return (avg * (LOAD_WINDOW - ns) + now * ns) >> 30;
}

static void queue_load(struct sim_cpu *p, struct runq *q, int change)
{
    uint64_t ns = ns_since(p, q->load_at);

    q->avgload = decay(q->avgload, q->load * LOAD_ONE, ns);
    q->b_avgload = decay(q->b_avgload, q->load * LOAD_ONE, ns);
    q->load_at = true_now(p);
    q->load += change;
    EMIT(p, trace_csched2_update_runq_load(q->avgload, q->b_avgload, q->load,
                                           q->id, LOAD_SHIFT));
}

/* Before the change, v was (or, with 0, still is) `was` of a vcpu. */
static void update_load(struct sim_cpu *p, struct runq *q, struct sim_vcpu *v,
                        int change)
{
    EMIT(p, trace_csched2_update_load());
    queue_load(p, q, change);
    if ( !v )
        return;
    v->avgload = decay(v->avgload, change > 0 ? 0 : LOAD_ONE,
                       ns_since(p, v->load_at));
    v->load_at = true_now(p);
    EMIT(p, trace_csched2_update_unit_load(v->avgload, v->id, dom_of(v),
                                           LOAD_SHIFT));
}

/* ---- the queue -------------------------------------------------------- */

static unsigned int insert(struct runq *q, struct sim_vcpu *v)
{
    struct sim_vcpu **at = &q->head;
    unsigned int position = 0;

    for ( ; *at && (*at)->credit >= v->credit; at = &(*at)->next )
        position++;
    v->next = *at;
    *at = v;
    v->queued = true;
    v->tickled = -1;
    return position;
}

static void take_out(struct sim_vcpu *v)
{
    struct sim_vcpu **at = &v->runq->head;

    if ( !v->queued )
        return;
    while ( *at != v )
        at = &(*at)->next;
    *at = v->next;
    v->queued = false;
}

static void list(struct runq *q, struct sim_vcpu *v)
{
    struct sim_vcpu **at = &q->all;

    while ( *at )
        at = &(*at)->next_all;
    *at = v;
    v->next_all = NULL;
    v->runq = q;
    q->nr++;
}

static void unlist(struct sim_vcpu *v)
{
    struct sim_vcpu **at = &v->runq->all;

    while ( *at != v )
        at = &(*at)->next_all;
    *at = v->next_all;
    v->runq->nr--;
}

/* ---- credit ----------------------------------------------------------- */

static void burn(struct sim_cpu *p, struct sim_vcpu *v)
{
    uint64_t now = true_now(p);
    int64_t ns = to_ns(p->world, now > v->burned_at ? now - v->burned_at : 0);

    if ( is_idle(v) )
        return;
    ns = ns * v->runq->max_weight / v->dom->weight;
    v->credit = max(v->credit - ns, (int64_t)-2 * CREDIT_INIT);
    v->burned_at = now;
    EMIT(p, trace_csched2_credit_burn(v->id, dom_of(v), v->credit, NO_BUDGET,
                                      ns));
}

/* Enough for the one that has least: it is the next to run. */
static void reset(struct sim_cpu *p, struct runq *q, struct sim_vcpu *next)
{
    int64_t more = CREDIT_INIT;

    while ( next->credit + more <= 0 )
        more += CREDIT_INIT;
    for ( struct sim_vcpu *v = q->all; v; v = v->next_all )
    {
        int64_t before;

        if ( v->state == RUNNING )
            burn(p, v);
        before = v->credit;
        v->credit = min(before + more, (int64_t)CREDIT_MAX);
        EMIT(p, trace_csched2_credit_reset(v->id, dom_of(v), before,
                                           v->credit));
    }
}

/* ---- tickling --------------------------------------------------------- */

static void tickle(struct sim_cpu *p, struct sim_vcpu *v,
                   struct sim_cpu *target)
{
    EMIT(p, trace_csched2_tickle(target->id));
    target->tickled = true;
    v->tickled = target->id;
    ask_to_schedule(p, target);
}

static bool is_free(const struct sim_cpu *c, const struct sim_vcpu *v)
{
    return c->online && !c->tickled && c->runs == &c->idle &&
           may_run_on(v, c->id);
}

static struct sim_cpu *find_free(struct sim_cpu *p, const struct sim_vcpu *v)
{
    struct sim_cpu *cpus = p->world->cpus;

    if ( is_free(v->cpu, v) )
        return v->cpu;
    for ( unsigned int i = v->runq->first; i <= v->runq->last; i++ )
        if ( is_free(&cpus[i], v) )
            return &cpus[i];
    return NULL;
}

/* By how much v deserves that pcpu more than who has it. */
static int64_t score(struct sim_cpu *p, struct sim_vcpu *v,
                     struct sim_cpu *target)
{
    struct sim_vcpu *cur = target->runs;
    int64_t n;

    burn(p, cur);
    n = v->credit - cur->credit - (v->cpu == target ? 0 : MIGRATION_COST);
    if ( n > 0 )
        n += CREDIT_INIT;
    EMIT(p, trace_csched2_tickle_check(cur->id, dom_of(cur), cur->credit, n));
    return n;
}

static bool may_be_asked(const struct sim_cpu *c, const struct sim_vcpu *v)
{
    return c->online && !c->tickled && c->runs != &c->idle &&
           may_run_on(v, c->id);
}

/* `not` has just decided against it, or is NULL. */
static void find_pcpu(struct sim_cpu *p, struct sim_vcpu *v,
                      const struct sim_cpu *not)
{
    struct sim_cpu *cpus = p->world->cpus, *best = find_free(p, v);
    int64_t most = 0;

    EMIT(p, trace_csched2_tickle_new(v->id, dom_of(v), v->cpu->id,
                                     v->credit));
    if ( !best && v->cpu != not && may_be_asked(v->cpu, v) )
    {
        most = score(p, v, v->cpu);
        best = most > 0 ? v->cpu : NULL;
    }
    for ( unsigned int i = v->runq->first; !best && i <= v->runq->last; i++ )
        if ( &cpus[i] != v->cpu && &cpus[i] != not &&
             may_be_asked(&cpus[i], v) )
        {
            most = score(p, v, &cpus[i]);
            best = most > 0 ? &cpus[i] : NULL;
        }
    if ( best )
        tickle(p, v, best);
}

static void enqueue(struct sim_cpu *p, struct sim_vcpu *v,
                    const struct sim_cpu *not)
{
    unsigned int position = insert(v->runq, v);

    EMIT(p, trace_csched2_runq_pos(v->id, dom_of(v), position));
    find_pcpu(p, v, not);
}

/* ---- queues and who belongs to them ----------------------------------- */

static void weigh(struct sim_cpu *p, struct runq *q)
{
    unsigned int most = 1;

    for ( const struct sim_vcpu *v = q->all; v; v = v->next_all )
        most = max(most, v->dom->weight);
    if ( most == q->max_weight )
        return;
    q->max_weight = most;
    EMIT(p, trace_csched2_runq_max_weight(q->id, most));
}

static bool has_online(const struct world *w, const struct runq *q,
                       const struct sim_vcpu *v)
{
    for ( unsigned int i = q->first; i <= q->last; i++ )
        if ( w->cpus[i].online && may_run_on(v, i) )
            return true;
    return false;
}

/*
 * The least loaded queue that has a pcpu for it, counting those, too, who
 * have not run yet; if none has one, any.
 */
static struct runq *choose_queue(const struct world *w,
                                 const struct sim_vcpu *v)
{
    struct runq *best = NULL;
    uint64_t least = UINT64_MAX;

    for ( unsigned int i = 0; i < w->nr_runqs; i++ )
    {
        struct runq *q = &w->runqs[i];
        uint64_t load = q->b_avgload + q->nr * LOAD_ONE;

        if ( has_online(w, q, v) && load < least )
        {
            best = q;
            least = load;
        }
    }
    return best ?: &w->runqs[0];
}

/* One of the queue's pcpus, not always the same. */
static struct sim_cpu *choose_cpu(const struct world *w, const struct runq *q,
                                  const struct sim_vcpu *v)
{
    unsigned int nr = q->last - q->first + 1;

    for ( unsigned int i = 0; i < nr; i++ )
    {
        unsigned int cpu = q->first + (v->id + dom_of(v) + i) % nr;

        if ( w->cpus[cpu].online && may_run_on(v, cpu) )
            return &w->cpus[cpu];
    }
    return &w->cpus[0];
}

static void assign(struct sim_cpu *p, struct sim_vcpu *v, struct runq *q)
{
    list(q, v);
    EMIT(p, trace_csched2_runq_assign(v->id, dom_of(v), q->id));
    weigh(p, q);
}

static void picked(struct sim_cpu *p, const struct sim_vcpu *v,
                   const struct runq *q, const struct sim_cpu *cpu)
{
    EMIT(p, trace_csched2_picked_cpu(q->b_avgload, v->id, dom_of(v), q->id,
                                     cpu->id));
}

static void credit2_add(struct sim_cpu *p, struct sim_vcpu *v)
{
    struct world *w = p->world;
    struct runq *q = choose_queue(w, v);

    runq_lock(p, q);
    moved(p, v, choose_cpu(w, q, v));
    picked(p, v, q, v->cpu);
    v->credit = CREDIT_INIT;
    v->avgload = LOAD_ONE;
    v->load_at = true_now(p);
    assign(p, v, q);
    runq_unlock(p, q);
}

static void credit2_remove(struct sim_cpu *p, struct sim_vcpu *v)
{
    take_out(v);
    unlist(v);
    weigh(p, v->runq);
}

static void credit2_reweigh(struct sim_cpu *p, struct sim_vcpu *v)
{
    weigh(p, v->runq);
}

static void credit2_wake(struct sim_cpu *p, struct sim_vcpu *v)
{
    update_load(p, v->runq, v, 1);
    enqueue(p, v, NULL);
}

static void credit2_sleep(struct sim_cpu *p, struct sim_vcpu *v)
{
    take_out(v);
    update_load(p, v->runq, v, -1);
}

static void credit2_saved(struct sim_cpu *p, struct sim_vcpu *v)
{
    runq_lock(p, v->runq);
    if ( v->state == RUNNABLE )
        enqueue(p, v, p);
    else
        update_load(p, v->runq, v, -1);
    runq_unlock(p, v->runq);
}

/* ---- balance ---------------------------------------------------------- */

/* To another queue; it waits, or runs nowhere. */
static void migrate(struct sim_cpu *p, struct sim_vcpu *v, struct runq *to)
{
    struct runq *from = v->runq;
    bool waits = v->queued;

    EMIT(p, trace_csched2_migrate(v->id, dom_of(v), from->id, to->id));
    if ( waits )
    {
        take_out(v);
        update_load(p, from, v, -1);
    }
    unlist(v);
    weigh(p, from);
    moved(p, v, choose_cpu(p->world, to, v));
    assign(p, v, to);
    if ( waits )
    {
        update_load(p, to, v, 1);
        enqueue(p, v, NULL);
    }
}

/* Its queue, if that has a pcpu for it. */
static void credit2_replace(struct sim_cpu *p, struct sim_vcpu *v)
{
    const struct world *w = p->world;
    struct runq *from = v->runq;
    struct runq *q = has_online(w, from, v) ? from : choose_queue(w, v);

    runq_lock(p, from);
    runq_lock(p, q);
    picked(p, v, q, choose_cpu(w, q, v));
    if ( q != from )
        migrate(p, v, q);
    else
        moved(p, v, choose_cpu(w, q, v));
    runq_unlock(p, q);
    runq_unlock(p, from);
}

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

static struct runq *most_different(struct sim_cpu *p, const struct runq *q)
{
    struct world *w = p->world;
    struct runq *best = NULL;
    uint64_t most = 0;

    for ( unsigned int i = 0; i < w->nr_runqs; i++ )
    {
        struct runq *other = &w->runqs[i];
        uint64_t d = distance(q->b_avgload, other->b_avgload);

        if ( other == q || !w->cpus[other->first].online )
            continue;
        if ( d <= most )
            continue;
        EMIT(p, trace_csched2_load_check(q->id, other->id, d));
        best = other;
        most = d;
    }
    return most >= PLENTY ? best : NULL;
}

/* The first that waits and may run over there. */
static struct sim_vcpu *someone(const struct world *w, const struct runq *from,
                                const struct runq *to)
{
    struct sim_vcpu *v = from->head;

    while ( v && !has_online(w, to, v) )
        v = v->next;
    return v;
}

static void balance(struct sim_cpu *p, struct runq *q)
{
    struct runq *other, *from, *to;
    struct sim_vcpu *v;

    queue_load(p, q, 0);
    other = most_different(p, q);
    if ( !other )
        return;
    runq_lock(p, other);
    EMIT(p, trace_csched2_load_balance(q->b_avgload, other->b_avgload, q->id,
                                       other->id));
    from = q->b_avgload > other->b_avgload ? q : other;
    to = from == q ? other : q;
    v = someone(p->world, from, to);
    if ( v )
        migrate(p, v, to);
    runq_unlock(p, other);
}

/* ---- who is next ------------------------------------------------------ */

static bool too_soon(struct sim_cpu *p, const struct sim_vcpu *cur)
{
    return !is_idle(cur) && !cur->yielding && is_runnable(cur) &&
           may_run_on(cur, p->id) &&
           ns_since(p, cur->since) < p->world->config.ratelimit;
}

/* Those who were promised another pcpu do not want this one. */
static bool wants(const struct sim_cpu *p, const struct sim_vcpu *v,
                  const struct sim_vcpu *than)
{
    const struct sim_cpu *promised = &p->world->cpus[max(v->tickled, 0)];
    int64_t least = is_idle(than) ? INT64_MIN : than->credit;

    if ( !may_run_on(v, p->id) )
        return false;
    if ( v->tickled >= 0 && promised != p && promised->tickled )
        return false;
    if ( v->cpu != p && !is_idle(than) && !than->yielding )
        least += MIGRATION_COST;
    return than->yielding || v->credit > least;
}

static struct sim_vcpu *candidate(struct sim_cpu *p)
{
    struct sim_vcpu *cur = p->runs, *best = &p->idle;
    int tickled = -1;

    if ( p->online && too_soon(p, cur) )
    {
        EMIT(p, trace_csched2_ratelimit(cur->id, dom_of(cur),
                                        ns_since(p, cur->since)));
        return cur;
    }
    if ( p->online && is_runnable(cur) && !is_idle(cur) &&
         may_run_on(cur, p->id) )
        best = cur;
    for ( struct sim_vcpu *v = p->runq->head; p->online && v; v = v->next )
    {
        EMIT(p, trace_csched2_runq_cand_check(v->id, dom_of(v)));
        if ( !wants(p, v, best) )
            continue;
        best = v;
        tickled = v->tickled;
        break;
    }
    EMIT(p, trace_csched2_runq_candidate(best->id, dom_of(best), tickled,
                                         is_idle(best) ? CREDIT_IDLE
                                                       : best->credit));
    return best;
}

/* Until it has less credit than who waits; but not shorter than it must. */
static int64_t slice_of(const struct sim_cpu *p, const struct sim_vcpu *v)
{
    const struct sim_vcpu *waits = p->runq->head;
    int64_t limit = p->world->config.ratelimit, ns = v->credit;

    if ( is_idle(v) )
        return -1;
    if ( waits && waits->credit > 0 )
        ns -= waits->credit;
    if ( v == p->runs )
        limit -= min(ns_since(p, v->since), p->world->config.ratelimit);
    ns = max(ns, max_t(int64_t, limit, SLICE_MIN));
    return min(ns, (int64_t)SLICE_MAX);
}

static struct sim_vcpu *credit2_pick(struct sim_cpu *p, int64_t *slice)
{
    struct sim_vcpu *cur = p->runs, *next;
    bool tickled = p->tickled;

    EMIT(p, trace_csched2_schedule(p->id, p->runq->id, false, is_idle(cur),
                                   is_idle(cur), tickled));
    p->tickled = false;
    burn(p, cur);
    next = candidate(p);
    cur->yielding = false;

    if ( is_idle(next) )
        update_load(p, p->runq, NULL, 0);
    else if ( next == cur )
        update_load(p, p->runq, next, 0);
    else
        take_out(next);
    if ( !is_idle(next) && next->credit <= 0 )
    {
        reset(p, p->runq, next);
        balance(p, p->runq);
    }
    next->burned_at = true_now(p);
    *slice = slice_of(p, next);
    return next;
}

/* ---- pcpus come and go ------------------------------------------------ */

/* Its vcpus find another queue if this one has no pcpu left for them. */
static void credit2_leave(struct sim_cpu *p)
{
    struct sim_vcpu *v = p->runq->all, *next;
    struct world *w = p->world;

    for ( ; v; v = next )
    {
        next = v->next_all;
        if ( has_online(w, p->runq, v) )
        {
            if ( v->cpu == p )
                moved(p, v, choose_cpu(w, p->runq, v));
            if ( v->queued && v->tickled == (int)p->id )
                find_pcpu(p, v, p);
        }
        else if ( choose_queue(w, v) != v->runq )
            migrate(p, v, choose_queue(w, v));
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
        .replace = credit2_replace,
        .wake = credit2_wake,
        .sleep = credit2_sleep,
        .pick = credit2_pick,
        .saved = credit2_saved,
        .leave = credit2_leave,
        .arrive = credit2_arrive,
    };

    return &table;
}
