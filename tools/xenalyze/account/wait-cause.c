/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Facts come in the order of time.  Spans of a pcpu are appended as they end;
 * a wait is explained when it ends (wait-explain.c).
 */
#include "xenalyze/account/wait-cause.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "common/compiler.h"
#include "common/debug.h"
#include "common/fault.h"
#include "common/grow.h"
#include "libxentrace/internal.h"
#include "libxentrace/readers.h"
#include "xenalyze/account/vcpu-array.h"
#include "xenalyze/account/wait-explain.h"
#include "xenalyze/account/wait-private.h"

void wait_causes_init(struct wait_causes *w)
{
    assert(!w->vcpus && !w->pcpus && !w->nr_worst);
    w->too_short = UINT64_MAX;
    stats_pool_init(&w->pool);
}

int wait_causes_keep_longest(struct wait_causes *w, size_t nr)
{
    assert(!w->nr_worst && !w->worst && nr);
    w->worst_room = nr < WAIT_MOST_WORST ? nr : WAIT_MOST_WORST;
    w->too_short = 0;
    w->worst = fault_calloc(w->worst_room, sizeof(*w->worst));
    w->pieces = fault_calloc(w->worst_room + 1, sizeof(*w->pieces));
    return w->worst && w->pieces ? 0 : -ENOMEM;
}

void wait_causes_forget_longest(struct wait_causes *w)
{
    assert(w->worst_room);
    w->nr_worst = 0;
    w->too_short = 0;
}

void wait_causes_fini(struct wait_causes *w)
{
    for ( uint32_t i = 0; i < w->nr_pcpus; i++ )
        pcpu_uses_fini(&w->pcpus[i].uses);
    for ( uint32_t i = 0; i < w->nr_vcpus; i++ )
        if ( w->vcpus[i] )
            free(w->vcpus[i]->caps);
    free(w->pcpus);
    free(w->vcpus);
    free(w->idles);
    free(w->worst);
    free(w->pieces);
    stats_pool_fini(&w->pool);
}

const char *wait_cause_name(enum wait_cause cause)
{
    static const char *const names[] = {
        [WAIT_RIVAL] = "rival", [WAIT_SIBLING] = "sibling",
        [WAIT_CAP] = "cap", [WAIT_RATELIMIT] = "ratelimit",
        [WAIT_PLACEMENT] = "placement", [WAIT_SLEEP] = "sleep",
        [WAIT_XEN] = "xen", [WAIT_IDLE] = "idle", [WAIT_LOST] = "lost",
        [WAIT_UNKNOWN] = "unknown",
    };

    assert(cause < WAIT_CAUSES);
    return names[cause];
}

/* --- vcpus and pcpus ------------------------------------------------------ */

static void allow_pcpu(struct wait_vcpu *v, uint32_t pcpu)
{
    if ( v->nr_pcpus < WAIT_PCPUS )
        v->pcpus[v->nr_pcpus++] = pcpu;
}

static void allow_pool(struct wait_vcpu *v, const struct xt_host *host)
{
    const struct xt_rec_meta_domain *d = xt_host_domain(host, v->domain);
    const struct xt_meta *m = NULL;

    if ( d && d->pool >= 0 )
        while ( (m = xt_host_next(host, TRC_META_CPU, m)) )
            if ( m->cpu.pool == d->pool )
                allow_pcpu(v, m->cpu.cpu);
}

/* The pcpus that the metadata allows; later, those that the vcpu uses. */
static void allow_pcpus(struct wait_vcpu *v, const struct xt_host *host)
{
    uint64_t mask[XT_AFFINITY_WORDS];
    enum xt_affinity affinity = xt_host_affinity(host, v->domain, v->id,
                                                 XT_AFFINITY_HARD, mask);

    if ( affinity == XT_AFFINITY_ANY )
        allow_pool(v, host);
    for ( uint32_t i = 0; affinity == XT_AFFINITY_MASK && i < XT_MAX_CPUS;
          i++ )
        if ( mask[i / 64] >> i % 64 & 1 )
            allow_pcpu(v, i);
}

static void read_metadata(struct wait_vcpu *v, const struct xt_host *host)
{
    const struct xt_rec_meta_domain_weight *w = xt_host_weight(host, v->domain);

    allow_pcpus(v, host);
    v->has_credit_cap = w && w->cap && w->scheduler == XT_SCHEDULER_CREDIT;
}

static inline struct wait_vcpu *get_wait_vcpu(struct wait_causes *w,
                                              const struct vcpu *v)
{
    struct wait_vcpu *own =
        grow_get_object(&w->vcpus, &w->nr_vcpus, v->index, &w->pool.arena,
                        sizeof(*own), STATS_LINE);

    w->failed |= !own;
    if ( !own )
        return NULL;
    if ( !own->vcpu )
    {
        own->domain = v->domain->id;
        own->id = v->id;
        own->state = STATE_INIT;
        own->vcpu = v;
        if ( w->host )
            read_metadata(own, w->host);
    }
    debug_assert(own->vcpu == v);
    return own;
}

struct wait_vcpu *wait_find_vcpu(const struct wait_causes *w, uint16_t domain,
                                 uint16_t id)
{
    const struct vcpu *v = guests_get_vcpu(w->guests, domain, id);

    return v && v->index < w->nr_vcpus ? w->vcpus[v->index] : NULL;
}

/* The begin of the oldest wait in progress. */
static uint64_t find_oldest_wait(const struct wait_causes *w)
{
    uint64_t oldest = UINT64_MAX;

    for ( uint32_t i = 0; i < w->nr_vcpus; i++ )
        if ( w->vcpus[i] && w->vcpus[i]->waiting_since &&
             w->vcpus[i]->waiting_since < oldest )
            oldest = w->vcpus[i]->waiting_since;
    return oldest;
}

/*
 * Pcpus share memory for spans: a busy pcpu takes the memory of idle pcpus.
 * Each wait of a vcpu may read the whole array of a pcpu, hence a limit for the
 * array: time is the product of both for a hostile trace.
 */
static uint32_t limit_spans(const struct wait_causes *w,
                            const struct pcpu_uses *u)
{
    uint32_t spare = w->spans_allocated < WAIT_SPANS
                     ? WAIT_SPANS - w->spans_allocated : 0;
    uint32_t limit = u->allocated + spare;

    assert(u->allocated <= w->spans_allocated);
    if ( limit > WAIT_PCPU_SPANS )
        return WAIT_PCPU_SPANS;
    return limit < 8 * PCPU_USES_FIRST ? 8 * PCPU_USES_FIRST : limit;
}

/* --- uses of pcpus -------------------------------------------------------- */

/* Spans that end before are not needed. */
static uint64_t find_oldest_need(const struct wait_causes *w,
                                 const struct pcpu_uses *u)
{
    if ( !u->has_dropped && u->nr < WAIT_FIRST_SPANS / w->nr_pcpus )
        return 0;
    return find_oldest_wait(w);
}

static bool make_span_room(struct wait_causes *w, struct pcpu_uses *u)
{
    uint32_t allocated = u->allocated;

    if ( !pcpu_uses_make_room(u, find_oldest_need(w, u), limit_spans(w, u)) )
    {
        w->failed = true;
        return false;
    }
    w->spans_allocated += u->allocated - allocated;
    return true;
}

/* There is room. */
static inline void add_span_fast(struct wait_causes *w, struct wait_pcpu *p,
                                 uint64_t to, enum pcpu_use use,
                                 const struct vcpu *vcpu)
{
    pcpu_uses_add_fast(&p->uses, p->current ? p->since : 0, to, use, vcpu);
    if ( use == USE_LOST && to > p->lost_until )
        p->lost_until = to;
    if ( !use_is_idle(use) )
        return;
    p->idle_until = to;
    if ( to > w->idle_until )
        w->idle_until = to;
}

void wait_add_span(struct wait_causes *w, struct wait_pcpu *p, uint64_t to,
                   enum pcpu_use use, const struct vcpu *vcpu)
{
    if ( !pcpu_uses_are_full(&p->uses) || make_span_room(w, &p->uses) )
        add_span_fast(w, p, to, use, vcpu);
}

/* The current vcpu leaves the pcpu, which switches to another one. */
static inline void end_use_fast(struct wait_causes *w, struct wait_pcpu *p,
                                uint64_t time)
{
    enum pcpu_use use = wait_current_use(p);

    debug_assert(p->current);
    add_span_fast(w, p, time, use, use >= USE_RUN ? p->current : NULL);
    wait_set_current(w, p, NULL, false, 0);
    p->limited = p->asleep = false;
}

static void end_use(struct wait_causes *w, struct wait_pcpu *p, uint64_t time)
{
    if ( !pcpu_uses_are_full(&p->uses) || make_span_room(w, &p->uses) )
        end_use_fast(w, p, time);
}

/* Nothing is known about the pcpu up to `time`, since its last span. */
static void add_unknown_time(struct wait_causes *w, struct wait_pcpu *p,
                             uint64_t time)
{
    debug_assert(!p->current);
    if ( p->uses.has_begun )
        wait_add_span(w, p, time, USE_UNKNOWN, NULL);
    else
        pcpu_uses_begin(&p->uses, time);
}

static void wait_add_power(void *state, const struct fact_power *f)
{
    struct wait_causes *w = state;
    struct wait_pcpu *p;

    if ( f->kind == POWER_FREQUENCY )
        return;
    p = wait_get_pcpu(w, f->pcpu);
    if ( !p )
        return;
    w->has_power = true;
    if ( p->uses.has_begun && p->current && vcpu_is_idle(p->current) )
        wait_add_span(w, p, f->time, p->asleep ? USE_ASLEEP : USE_IDLE, NULL);
    p->asleep = f->kind == POWER_SLEEP && p->current &&
                vcpu_is_idle(p->current);
}

static void wait_add_irq(void *state, const struct fact_irq *f)
{
    struct wait_causes *w = state;
    struct wait_pcpu *p;

    if ( f->kind != IRQ_HANDLED )
        return;
    w->has_irq = true;
    if ( f->time < w->first )
        return;
    p = wait_get_pcpu(w, f->pcpu);
    if ( !p || !f->has_cycles || f->cycles > f->time || !p->uses.has_begun ||
         p->asleep || !p->current || !vcpu_is_idle(p->current) )
        return;
    wait_add_span(w, p, f->time - f->cycles, USE_IDLE, NULL);
    wait_add_span(w, p, f->time, USE_XEN, NULL);
}

/* --- runstates ------------------------------------------------------------ */

static inline bool is_first_pcpu(const struct wait_vcpu *v, uint32_t pcpu)
{
    return v->nr_pcpus && v->pcpus[0] == pcpu;
}

/* The pcpu comes first; those before it move on by one. */
static void note_pcpu_of(struct wait_vcpu *v, uint32_t pcpu)
{
    uint32_t moving = pcpu;

    for ( uint32_t i = 0; i < v->nr_pcpus; i++ )
    {
        uint32_t next = v->pcpus[i];

        v->pcpus[i] = moving;
        if ( next == pcpu )
            return;
        moving = next;
    }
    if ( v->nr_pcpus < WAIT_PCPUS )
        v->pcpus[v->nr_pcpus++] = moving;
}

static void set_idle(struct wait_causes *w, uint32_t pcpu, bool is_idle,
                     uint64_t time)
{
    struct wait_pcpu *p = wait_get_pcpu(w, pcpu);

    if ( !p || p->is_idle == is_idle )
        return;
    debug_assert(is_idle ? w->nr_idle < w->nr_pcpus : w->nr_idle);
    p->is_idle = is_idle;
    if ( w->nr_idle && time > w->idle_since )
        w->idle_cycles += time - w->idle_since;
    w->idle_since = time;
    w->nr_idle += is_idle ? 1 : -1;
}

static void advance_idle(struct wait_causes *w, uint64_t time)
{
    if ( time <= w->idle_since )
        return;
    if ( w->nr_idle )
        w->idle_cycles += time - w->idle_since;
    w->idle_since = time;
}

/* Before the selected span, only the state in progress matters. */
static inline uint64_t limit_to_span(const struct wait_causes *w,
                                     uint64_t time)
{
    return time > w->first ? time : w->first;
}

/* The vcpu ran until now, but the sink had no fact of its arrival. */
COLD
static void add_unknown_run(struct wait_causes *w, struct wait_pcpu *p,
                            const struct fact_runstate *f)
{
    uint64_t from = limit_to_span(w, f->from), to = limit_to_span(w, f->to);
    bool is_idle = vcpu_is_idle(f->vcpu);

    add_unknown_time(w, p, from);
    wait_add_span(w, p, to, is_idle ? USE_IDLE : USE_RUN,
                  is_idle ? NULL : f->vcpu);
}

/* The vcpu ran on the pcpu until now. */
static void note_departure(struct wait_causes *w,
                           const struct fact_runstate *f)
{
    struct wait_pcpu *p = f->pcpu == FACT_NO_PCPU
                          ? NULL : wait_get_pcpu(w, f->pcpu);

    if ( p && p->current == f->vcpu )
        end_use(w, p, limit_to_span(w, f->to));
    else if ( p && !p->current && f->from <= f->to )
        add_unknown_run(w, p, f);
}

/*
 * The vcpu runs on the pcpu from now on, or runs on; contradicting records of
 * two pcpus may have another vcpu there.
 */
static void end_use_before(struct wait_causes *w,
                           const struct fact_runstate *f)
{
    struct wait_pcpu *p = wait_get_pcpu(w, f->next_pcpu);
    uint64_t time = limit_to_span(w, f->to);

    if ( !p || p->current == f->vcpu )
        return;
    if ( p->current )
        end_use(w, p, time);
    if ( !p->current && !pcpu_uses_may_begin(&p->uses, time) )
        add_unknown_time(w, p, time);
}

static void note_arrival(struct wait_causes *w, const struct fact_runstate *f)
{
    struct wait_pcpu *p = wait_get_pcpu(w, f->next_pcpu);

    if ( p && p->current != f->vcpu )
        wait_set_current(w, p, f->vcpu, vcpu_is_idle(f->vcpu),
                         limit_to_span(w, f->to));
}

static bool is_wait(const struct wait_vcpu *v, const struct fact_runstate *f)
{
    return f->state == STATE_RUNNABLE ||
           (f->state == STATE_OFFLINE && v->is_capped &&
            v->capped_state == STATE_OFFLINE);
}

/* RTDS: a vcpu that blocks without budget has none when it wakes up. */
static bool caps_end(const struct wait_vcpu *v, const struct fact_runstate *f)
{
    if ( f->state == STATE_RUNNABLE || f->state == STATE_OFFLINE )
        return true;
    return f->next == STATE_BLOCKED && v->capped_state != STATE_RUNNABLE;
}

/* Inline: called for each change of a runstate. */
static inline void count_state_time(struct wait_causes *w,
                                    struct wait_vcpu *v,
                                    const struct fact_runstate *f)
{
    uint64_t from = v->counted > f->from ? v->counted : f->from;

    debug_assert(f->state < STATES);
    advance_idle(w, f->to);
    /* Contradicting records of two pcpus may end a state before its begin. */
    if ( from > f->to )
        return;
    v->counted = f->to;
    v->times[f->state] += f->to - from;
    if ( is_wait(v, f) )
        wait_explain(w, v, f, from);
}

void wait_add_time(struct wait_causes *w, struct wait_vcpu *v,
                   const struct fact_runstate *f)
{
    count_state_time(w, v, f);
}

/* The next state of the vcpu begins at `time`. */
static inline void begin_state(struct wait_causes *w, struct wait_vcpu *v,
                               const struct fact_runstate *f, uint64_t time)
{
    v->counted = 0;
    wait_forget_pause(w, v);
    if ( f->next == STATE_RUNNING )
        note_pcpu_of(v, f->next_pcpu);
    if ( v->is_capped && caps_end(v, f) )
        wait_forget_caps(w, v);
    if ( f->next == STATE_OFFLINE && v->has_credit_cap )
        wait_begin_cap(w, v, STATE_OFFLINE, time);
    v->state = f->next;
    v->waiting_since = f->next == STATE_RUNNABLE ||
                       (f->next == STATE_OFFLINE && v->is_capped) ? time : 0;
    v->idle_before = w->idle_cycles;
}

static void add_guest_runstate(struct wait_causes *w,
                               const struct fact_runstate *f)
{
    struct wait_vcpu *v = get_wait_vcpu(w, f->vcpu);

    if ( !v )
        return;
    count_state_time(w, v, f);
    v->has_facts = true;
    begin_state(w, v, f, f->to);
}

/* An idle vcpu runs, or ceases to run. */
static void note_idle_pcpu(struct wait_causes *w, const struct fact_runstate *f,
                           uint64_t time)
{
    if ( f->next == STATE_RUNNING )
        set_idle(w, f->next_pcpu, true, time);
    else if ( f->state == STATE_RUNNING )
        set_idle(w, f->pcpu, false, time);
}

/*
 * The state ends before the selected span.  Its time does not count, but the
 * next state may last until the span.
 */
COLD
static void add_early_runstate(struct wait_causes *w,
                               const struct fact_runstate *f)
{
    struct wait_vcpu *v = vcpu_is_idle(f->vcpu) ? NULL
                                                : get_wait_vcpu(w, f->vcpu);

    debug_assert(f->to < w->first);
    if ( v )
        begin_state(w, v, f, w->first);
    else if ( vcpu_is_idle(f->vcpu) )
        note_idle_pcpu(w, f, w->first);
}

NOINLINE
static void wait_runstate_slow(struct wait_causes *w,
                               const struct fact_runstate *f)
{
    if ( f->next == STATE_RUNNING )
        end_use_before(w, f);
    else if ( f->state == STATE_RUNNING )
        note_departure(w, f);
    if ( f->to < w->first )
        add_early_runstate(w, f);
    else if ( vcpu_is_idle(f->vcpu) )
        note_idle_pcpu(w, f, f->to);
    else
        add_guest_runstate(w, f);
    if ( f->next == STATE_RUNNING )
        note_arrival(w, f);
}

/* The vcpu of a change without a cap or a pause; or NULL. */
static inline struct wait_vcpu *
find_simple_change(const struct wait_causes *w, const struct fact_runstate *f)
{
    struct wait_vcpu *v = grow_find_object(&w->vcpus, w->nr_vcpus,
                                           f->vcpu->index);

    return v && f->state <= STATE_BLOCKED && f->next <= STATE_BLOCKED &&
           !v->is_capped && f->to >= w->first ? v : NULL;
}

/* The pcpu, where the vcpu runs; NULL: the change is not that simple. */
static inline struct wait_pcpu *find_simple_pcpu(const struct wait_causes *w,
                                                 uint32_t pcpu,
                                                 const struct vcpu *current)
{
    return pcpu < w->nr_pcpus && w->pcpus[pcpu].current == current
           ? &w->pcpus[pcpu] : NULL;
}

/* No wait, and no migration. */
static inline void begin_state_fast(struct wait_causes *w,
                                    struct wait_vcpu *v,
                                    const struct fact_runstate *f)
{
    debug_assert(!v->counted && !v->is_paused && !vcpu_is_idle(f->vcpu));
    advance_idle(w, f->to);
    if ( f->from <= f->to )
        v->times[f->state] += f->to - f->from;
    v->has_facts = true;
    v->state = f->next;
    v->waiting_since = f->next == STATE_RUNNABLE ? f->to : 0;
    v->idle_before = w->idle_cycles;
}

/* A wait, perhaps with a migration. */
NOINLINE
static void finish_wait_fast(struct wait_causes *w, struct wait_vcpu *v,
                             struct wait_pcpu *p,
                             const struct fact_runstate *f)
{
    debug_assert(!v->counted && f->state == STATE_RUNNABLE);
    advance_idle(w, f->to);
    if ( f->from <= f->to )
    {
        v->times[STATE_RUNNABLE] += f->to - f->from;
        wait_explain(w, v, f, f->from);
    }
    v->has_facts = true;
    v->state = STATE_RUNNING;
    v->waiting_since = 0;
    note_pcpu_of(v, f->next_pcpu);
    wait_set_current(w, p, f->vcpu, false, f->to);
}

/* False: the change is not that simple. */
static inline bool wait_runstate_fast(struct wait_causes *w,
                                      struct wait_vcpu *v,
                                      const struct fact_runstate *f)
{
    struct wait_pcpu *p;

    if ( f->state == STATE_RUNNABLE )
    {
        p = find_simple_pcpu(w, f->next_pcpu, NULL);
        if ( f->next != STATE_RUNNING || !p ||
             !pcpu_uses_may_begin(&p->uses, f->to) )
            return false;
        finish_wait_fast(w, v, p, f);
        return true;
    }
    if ( f->state == STATE_RUNNING )
    {
        p = find_simple_pcpu(w, f->pcpu, f->vcpu);
        if ( !p || pcpu_uses_are_full(&p->uses) ||
             (f->next == STATE_RUNNING && f->pcpu != f->next_pcpu) )
            return false;
        if ( f->next != STATE_RUNNING )
            end_use_fast(w, p, f->to);
    }
    else if ( f->next == STATE_RUNNING )
        return false;
    begin_state_fast(w, v, f);
    return true;
}

static void wait_add_runstate(void *state, const struct fact_runstate *f)
{
    struct wait_causes *w = state;
    struct wait_vcpu *v = find_simple_change(w, f);

    debug_assert(f->state < STATES);
    if ( !v || !wait_runstate_fast(w, v, f) )
        wait_runstate_slow(w, f);
}

/* --- losses --------------------------------------------------------------- */

static void wait_add_loss(void *state, const struct fact_loss *f)
{
    struct wait_causes *w = state;
    struct wait_pcpu *p = wait_get_pcpu(w, f->pcpu);

    if ( f->to < w->first )
        return;
    w->lost += f->records;
    if ( !p )
        return;
    if ( p->current )
        end_use(w, p, limit_to_span(w, f->from));
    if ( p->current )
        return;
    add_unknown_time(w, p, limit_to_span(w, f->from));
    wait_add_span(w, p, f->to, USE_LOST, NULL);
}

/* --- segments ------------------------------------------------------------- */

static void wait_begin(void *state, const struct fact_begin *f)
{
    struct wait_causes *w = state;

    w->guests = f->guests;
    w->first = f->first;
    if ( f->segment )
        return;
    w->clock = *f->clock;
    w->scale = stretch_scale_make(f->clock);
    w->calm = xt_clock_hz(f->clock) / (1000000000u / WAIT_CALM_NS);
}

/* Times of the next segment cannot be compared. */
static int wait_end(void *state, const struct fact_end *f, struct err *e)
{
    struct wait_causes *w = state;

    if ( f->first <= f->last )
        w->cycles += f->last - f->first;
    for ( uint32_t i = 0; i < w->nr_pcpus; i++ )
    {
        pcpu_uses_reset(&w->pcpus[i].uses);
        w->pcpus[i] = (struct wait_pcpu){ .uses = w->pcpus[i].uses };
    }
    for ( uint32_t i = 0; i < w->nr_vcpus; i++ )
        if ( w->vcpus[i] )
        {
            w->vcpus[i]->waiting_since = 0;
            w->vcpus[i]->state = STATE_INIT;
            w->vcpus[i]->counted = 0;
            wait_forget_pause(w, w->vcpus[i]);
            period_interrupt(&w->vcpus[i]->period);
            wait_forget_caps(w, w->vcpus[i]);
            if ( w->vcpus[i]->stretches )
                stretch_close(&w->vcpus[i]->stretches->search, &w->scale);
        }
    assert(!w->nr_capped && !w->nr_paused);
    w->nr_idle = w->nr_running_idle = 0;
    w->idle_since = w->idle_until = 0;
    return w->failed || w->pool.failed
           ? err_sys(e, -ENOMEM, "cannot keep the causes of waits") : 0;
}

struct sink wait_causes_sink(struct wait_causes *w)
{
    static const struct sink_ops ops = {
        .name = "wait causes", .ordered = true, .early_facts = true,
        .begin = wait_begin,
        .end = wait_end, .runstate = wait_add_runstate, .loss = wait_add_loss,
        .irq = wait_add_irq, .power = wait_add_power,
        .event = wait_add_event, .needs_event = wait_needs_event,
        .event_filter = wait_event_filter,
    };

    return (struct sink){ &ops, w };
}

/* --- order ---------------------------------------------------------------- */

static bool rival_is_before(const struct wait_rival *a,
                            const struct wait_rival *b)
{
    if ( a->cycles != b->cycles )
        return a->cycles > b->cycles;
    return a->domain < b->domain;
}

/* Insertion sort: there are at most WAIT_RIVALS. */
static void sort_wait_rivals(struct wait_vcpu *v)
{
    struct wait_rival *sorted = NULL, *r, *next, **at;

    for ( r = v->rivals; r; r = next )
    {
        next = r->next;
        for ( at = &sorted; *at && rival_is_before(*at, r); )
            at = &(*at)->next;
        r->next = *at;
        *at = r;
    }
    v->rivals = sorted;
}

/* The array is sorted: vcpus of a domain are neighbours. */
static void count_domain_vcpus(struct wait_causes *w)
{
    uint32_t first = 0;

    for ( uint32_t i = 0; i < w->nr_vcpus; i++ )
    {
        if ( w->vcpus[i]->domain != w->vcpus[first]->domain )
            first = i;
        if ( i + 1 < w->nr_vcpus &&
             w->vcpus[i + 1]->domain == w->vcpus[i]->domain )
            continue;
        for ( uint32_t k = first; k <= i; k++ )
            w->vcpus[k]->nr_vcpus = i + 1 - first;
    }
}

/* The vcpu was gone when the selected span began. */
static void drop_early_vcpus(struct wait_causes *w)
{
    for ( uint32_t i = 0; i < w->nr_vcpus; i++ )
        if ( w->vcpus[i] && !w->vcpus[i]->has_facts )
        {
            free(w->vcpus[i]->caps);
            w->vcpus[i] = NULL;
        }
}

void wait_causes_close(struct wait_causes *w)
{
    drop_early_vcpus(w);
    vcpu_array_sort(&w->vcpus, &w->nr_vcpus);
    for ( uint32_t i = 0; i < w->nr_vcpus; i++ )
    {
        sort_wait_rivals(w->vcpus[i]);
        wait_end_stretch(w->vcpus[i]);
    }
    count_domain_vcpus(w);
}
