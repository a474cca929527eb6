/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The vcpu that runs on the pcpu of a wake-up is the waker, unless a record
 * shows an interrupt: one of the host, a VM exit for an interrupt, or a PV
 * guest whose last hypercall sends no event.  A wake-up in an interrupt without
 * a record of the host's interrupts is a timer of Xen.
 */
#include "xenalyze/account/block-reason.h"

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

#define NEAR_NS 50000u          /* from a record to a wake-up by it */
#define LEARNED 10u             /* injections of a vector to learn from */

void block_reasons_init(struct block_reasons *b)
{
    assert(!b->vcpus && !b->pcpus);
    stats_pool_init(&b->pool);
}

void block_reasons_fini(struct block_reasons *b)
{
    free(b->vcpus);
    free(b->pcpus);
    free(b->domains);
    stats_pool_fini(&b->pool);
}

const char *block_reason_name(enum block_reason reason)
{
    static const char *const names[] = {
        [BLOCK_TIMER] = "timer", [BLOCK_SIBLING] = "sibling",
        [BLOCK_EVENT] = "event", [BLOCK_EMULATED] = "emulated",
        [BLOCK_DEVICE] = "device", [BLOCK_PAUSED] = "paused",
        [BLOCK_OPEN] = "open", [BLOCK_UNKNOWN] = "unknown",
    };

    assert(reason < BLOCK_REASONS);
    return names[reason];
}

/* --- vcpus and pcpus ------------------------------------------------------ */

static inline struct block_vcpu *get_block_vcpu(struct block_reasons *b,
                                                const struct vcpu *v)
{
    struct block_vcpu *own =
        vcpu_array_get(&b->vcpus, &b->nr_vcpus, v, &b->pool.arena, sizeof(*own),
                       _Alignof(struct block_vcpu), &b->failed);

    if ( own )
        own->index = v->index;
    return own;
}

static struct block_vcpu *find_block_vcpu(const struct block_reasons *b,
                                          const struct vcpu *v)
{
    return v && v->index < b->nr_vcpus ? b->vcpus[v->index] : NULL;
}

static struct block_pcpu *get_block_pcpu(struct block_reasons *b,
                                         uint32_t pcpu)
{
    if ( grow_to_index(&b->pcpus, &b->nr_pcpus, pcpu, sizeof(*b->pcpus)) )
        return &b->pcpus[pcpu];
    b->failed = true;
    return NULL;
}

/* --- the reason ----------------------------------------------------------- */

/* Vectors of Linux and Windows; others are learned. */
static bool is_known_timer(uint8_t vector)
{
    return vector == 0xec || vector == 0xef || vector == 0xee ||
           vector == 0xd1;
}

static bool is_known_ipi(uint8_t vector)
{
    return (vector >= 0xfb && vector <= 0xfd) || vector == 0xe1;
}

/* In 90 % of all cases, an emulated timer fired before the vector came. */
static bool is_learned_timer(const struct block_vcpu *v, uint8_t vector)
{
    const uint32_t *counts;

    if ( !v->timer_vectors )
        return false;
    counts = &v->timer_vectors[2 * vector];
    return counts[1] >= LEARNED && counts[0] >= counts[1] / 10 * 9;
}

static enum block_reason find_interrupt(const struct block_reasons *b,
                                        const struct block_vcpu *v)
{
    const struct block_open *o = &v->open;

    if ( o->has_irq )
        return BLOCK_DEVICE;
    if ( o->has_timer )
        return BLOCK_TIMER;
    if ( o->has_vector && is_known_ipi(o->vector) )
        return BLOCK_SIBLING;
    if ( o->has_vector && (is_known_timer(o->vector) ||
                           is_learned_timer(v, o->vector)) )
        return BLOCK_TIMER;
    /* Interrupts of Xen's own timers leave no record. */
    return b->has_irq ? BLOCK_TIMER : BLOCK_UNKNOWN;
}

static enum block_reason find_block_reason(const struct block_reasons *b,
                                           const struct block_vcpu *v)
{
    const struct block_open *o = &v->open;

    debug_assert(o->is_open);
    if ( !o->waker && !o->in_interrupt )
        return BLOCK_UNKNOWN;
    if ( o->in_interrupt || o->has_irq )
        return find_interrupt(b, v);
    if ( o->waker->domain->id == v->domain )
        return BLOCK_SIBLING;
    return o->is_emulated ? BLOCK_EMULATED : BLOCK_EVENT;
}

static bool is_same_source(const struct block_source *a,
                           const struct block_source *b)
{
    return a->reason == b->reason && a->has_domain == b->has_domain &&
           a->has_irq == b->has_irq && a->domain == b->domain &&
           a->irq == b->irq;
}

static unsigned int source_hash(const struct block_source *s)
{
    return (s->domain + s->irq + s->reason) % BLOCK_CACHED;
}

static struct block_waker *find_waker(struct block_vcpu *v,
                                      const struct block_source *s)
{
    struct block_waker *w = v->wakers;

    while ( w && !is_same_source(&w->source, s) )
        w = w->next;
    if ( w )
        v->cached[source_hash(s)] = w;
    return w;
}

COLD
static struct block_waker *get_waker_slow(struct block_reasons *b,
                                          struct block_vcpu *v,
                                          struct block_source s)
{
    struct block_waker *w = find_waker(v, &s);

    /* Further domains and interrupts share rows without a number. */
    if ( !w && ((s.has_domain && v->nr_domains >= BLOCK_WAKERS) ||
                (s.has_irq && v->nr_irqs >= BLOCK_WAKERS)) )
    {
        s = (struct block_source){ .reason = s.reason };
        w = find_waker(v, &s);
    }
    if ( w )
        return w;
    w = arena_zalloc(&b->pool.arena, sizeof(*w), STATS_LINE);
    b->failed |= !w;
    if ( !w )
        return NULL;
    w->source = s;
    w->next = v->wakers;
    v->wakers = w;
    v->nr_domains += s.has_domain;
    v->nr_irqs += s.has_irq;
    return w;
}

/* Most vcpus have few wakers. */
static inline struct block_waker *get_waker(struct block_reasons *b,
                                            struct block_vcpu *v,
                                            struct block_source s)
{
    struct block_waker *w = v->cached[source_hash(&s)];

    return w && is_same_source(&w->source, &s) ? w : get_waker_slow(b, v, s);
}

/* Returns the row of the reason; NULL: behind the span, or no memory. */
static inline struct block_waker *add_block(struct block_reasons *b,
                                     struct block_vcpu *v,
                                     struct block_source source, uint64_t from,
                                     uint64_t to)
{
    struct block_waker *w;

    debug_assert(from <= to);
    if ( from > b->span.until )
        return NULL;
    if ( to > b->span.until )
        to = b->span.until;
    w = get_waker(b, v, source);
    if ( !w )
        return NULL;
    v->blocked += to - from;
    stats_add(&w->stats, &b->pool, to - from, from);
    if ( b->on_reason )
        b->on_reason(b->on_reason_arg, v, &source, from, to);
    return w;
}

/* Emulated timers teach which vector is the guest's timer. */
static void learn_vector(struct block_reasons *b, struct block_vcpu *v)
{
    const struct block_open *o = &v->open;

    if ( !o->has_vector )
        return;
    if ( !v->timer_vectors )
        v->timer_vectors = arena_zalloc(&b->pool.arena, 2 * BLOCK_VECTORS *
                                        sizeof(*v->timer_vectors), 4);
    b->failed |= !v->timer_vectors;
    if ( !v->timer_vectors )
        return;
    v->timer_vectors[2 * o->vector] += o->has_timer;
    v->timer_vectors[2 * o->vector + 1]++;
}

static void fix_reason(struct block_reasons *b, struct block_vcpu *v)
{
    const struct block_open *o = &v->open;
    struct block_source s = { .has_domain = false };
    struct block_waker *w;

    debug_assert(o->is_open);
    learn_vector(b, v);
    s.reason = find_block_reason(b, v);
    s.has_domain = s.reason == BLOCK_EVENT || s.reason == BLOCK_EMULATED;
    s.has_irq = s.reason == BLOCK_DEVICE;
    debug_assert(!s.has_domain || o->waker);
    s.domain = s.has_domain ? o->waker->domain->id : 0;
    s.irq = s.has_irq ? o->irq : 0;
    w = add_block(b, v, s, o->from, o->to);
    if ( w && b->on_block )
        b->on_block(b->on_block_arg, v, w);
    v->open.is_open = false;
}

/* --- wake-ups ------------------------------------------------------------- */

static bool is_near(const struct block_reasons *b, uint64_t record,
                    uint64_t woken)
{
    return record <= woken &&
           xt_clock_duration(&b->clock, woken - record) <= NEAR_NS;
}

enum block_domain { DOMAIN_NOT_ASKED, DOMAIN_OTHER, DOMAIN_PV };

/* NULL: no memory. */
static uint8_t *get_domain_kind(struct block_reasons *b, const struct domain *d)
{
    if ( grow_to_index(&b->domains, &b->nr_domains, d->index,
                       sizeof(*b->domains)) )
        return &b->domains[d->index];
    b->failed = true;
    return NULL;
}

/* Is it a PV guest, by the metadata or records of any of its vcpus? */
static bool is_pv_domain(struct block_reasons *b, const struct domain *d)
{
    uint8_t *kind = get_domain_kind(b, d);
    const struct xt_rec_meta_domain *meta;

    if ( kind && *kind == DOMAIN_NOT_ASKED )
    {
        meta = b->host ? xt_host_domain(b->host, d->id) : NULL;
        *kind = meta && xt_host_domain_is_pv(meta) ? DOMAIN_PV : DOMAIN_OTHER;
    }
    return kind && *kind == DOMAIN_PV;
}

/* May the running vcpu have sent the event that woke another one? */
static bool sends_event(struct block_reasons *b, const struct vcpu *waker,
                        uint64_t woken)
{
    struct block_vcpu *v = find_block_vcpu(b, waker);
    bool has_sent;

    /* In a trace with PV records, a vcpu without any has sent nothing. */
    if ( !v || !v->is_pv )
        return !b->has_pv || !is_pv_domain(b, waker->domain);
    has_sent = hypercall_may_send(v->last_call) && is_near(b, v->called, woken);
    /* One event wakes one vcpu. */
    if ( has_sent && v->last_call == CALL_EVENT_CHANNEL )
        v->last_call = UINT32_MAX;
    return has_sent;
}

static void unlist_vcpu(struct block_reasons *b, struct block_vcpu *v)
{
    if ( !v->is_listed )
        return;
    debug_assert(v->open.pcpu < b->nr_pcpus);
    if ( v->newer )
        v->newer->older = v->older;
    else
        b->pcpus[v->open.pcpu].newest = v->older;
    if ( v->older )
        v->older->newer = v->newer;
    v->is_listed = false;
}

static void list_vcpu(struct block_pcpu *p, struct block_vcpu *v)
{
    debug_assert(!v->is_listed);
    v->newer = NULL;
    v->older = p->newest;
    if ( v->older )
        v->older->newer = v;
    p->newest = v;
    v->is_listed = true;
}

static void open_block(struct block_reasons *b, struct block_vcpu *v,
                       const struct fact_runstate *f)
{
    struct block_pcpu *p = get_block_pcpu(b, f->next_pcpu);
    const struct vcpu *waker = f->waker;

    debug_assert(!v->open.is_open);
    if ( !p )
        return;
    unlist_vcpu(b, v);
    v->open = (struct block_open){
        .is_open = true, .from = f->from, .to = f->to, .pcpu = f->next_pcpu,
        .waker = waker && !vcpu_is_idle(waker) ? waker : NULL,
        .has_timer = p->timer && is_near(b, p->timer, f->to),
    };
    v->open.in_interrupt = waker && (vcpu_is_idle(waker) ||
                                     !sends_event(b, waker, f->to));
    p->timer = 0;
    list_vcpu(p, v);
}

/* The vcpu has been blocked. */
NOINLINE
static void add_blocked_time(struct block_reasons *b, struct block_vcpu *v,
                             const struct fact_runstate *f)
{
    debug_assert(f->state == STATE_BLOCKED);
    if ( v->open.is_open )
        fix_reason(b, v);
    /* Contradicting records may end a state before its begin. */
    if ( f->from > f->to )
        return;
    if ( f->next == STATE_RUNNABLE || f->next == STATE_RUNNING )
        open_block(b, v, f);
    else
        add_block(b, v, (struct block_source){
            .reason = f->next == STATE_OFFLINE ? BLOCK_PAUSED
                      : f->next == STATES ? BLOCK_OPEN : BLOCK_UNKNOWN,
            }, f->from, f->to);
}

static bool block_needs_runstate(unsigned int state, unsigned int next)
{
    return state == STATE_BLOCKED || next == STATE_BLOCKED;
}

static void block_add_runstate(void *state, const struct fact_runstate *f)
{
    struct block_reasons *b = state;
    struct block_vcpu *v;

    if ( !block_needs_runstate(f->state, f->next) ||
         vcpu_is_idle(f->vcpu) || f->to < b->span.first )
        return;
    v = get_block_vcpu(b, f->vcpu);
    if ( v && f->state == STATE_BLOCKED )
        add_blocked_time(b, v, f);
    else if ( v && v->open.is_open )
        fix_reason(b, v);
}

/* --- records that decide -------------------------------------------------- */

/* A handler of the host, or a VM exit for an interrupt. */
struct interrupt
{
    uint32_t pcpu;
    uint64_t from, to;
    uint32_t irq;               /* handler: Xen's number */
    const struct vcpu *vcpu;    /* exit: its vcpu */
};

/* Call `note` for each wake-up of the pcpu in the interrupt, the last first. */
static void for_each_recent(struct block_reasons *b, const struct interrupt *i,
                            void (*note)(struct block_open *o,
                                         const struct interrupt *i))
{
    struct block_vcpu *v = i->pcpu < b->nr_pcpus ? b->pcpus[i->pcpu].newest
                                                 : NULL;

    debug_assert(i->from <= i->to);
    for ( ; v && v->open.to >= i->from; v = v->older )
    {
        debug_assert(v->open.pcpu == i->pcpu);
        if ( v->open.is_open && v->open.to <= i->to )
            note(&v->open, i);
    }
}

/* The innermost of nested interrupts has the first record. */
static void note_irq(struct block_open *o, const struct interrupt *i)
{
    if ( !o->has_irq )
    {
        o->irq = i->irq;
        o->irq_from = i->from;
    }
    o->has_irq = true;
}

/* Other vcpus may run until the exit ends. */
static void note_exit(struct block_open *o, const struct interrupt *i)
{
    if ( !o->waker || o->waker == i->vcpu )
        o->in_interrupt = true;
}

static void block_add_irq(void *state, const struct fact_irq *f)
{
    struct block_reasons *b = state;

    if ( f->kind != IRQ_HANDLED )
        return;
    b->has_irq = true;
    if ( f->has_cycles && f->cycles <= f->time && f->time >= b->span.first )
        for_each_recent(b, &(struct interrupt){
            .pcpu = f->pcpu, .from = f->time - f->cycles, .to = f->time,
            .irq = f->irq }, note_irq);
}

/* A VM exit for an interrupt: the running vcpu is no waker. */
static void block_add_exit(void *state, const struct fact_exit *f)
{
    if ( exit_is_interrupt(f->hardware, f->reason) )
        for_each_recent(state, &(struct interrupt){
            .pcpu = f->pcpu, .from = f->start, .to = f->start + f->cycles,
            .vcpu = f->vcpu }, note_exit);
}

/* The exit's own fact may come behind the next block of a woken vcpu. */
static void block_add_exit_pause(void *state, const struct fact_exit_pause *f)
{
    if ( exit_is_interrupt(f->hardware, f->reason) && f->start <= f->time )
        for_each_recent(state, &(struct interrupt){
            .pcpu = f->pcpu, .from = f->start, .to = f->time,
            .vcpu = f->vcpu }, note_exit);
}

static void block_add_exit_block(void *state, const struct fact_exit_block *f)
{
    struct block_vcpu *v = find_block_vcpu(state, f->exit->vcpu);

    if ( v && f->is_access && v->open.is_open &&
         v->open.from >= f->exit->start )
        v->open.is_emulated = true;
}

static void block_add_handle(void *state, const struct fact_handle *f)
{
    struct block_reasons *b = state;
    struct block_vcpu *v;

    b->has_handlers = true;
    if ( f->kind != HANDLE_INJECT || f->at >= BLOCK_VECTORS )
        return;
    v = find_block_vcpu(b, f->vcpu);
    if ( !v || !v->open.is_open || v->open.has_vector ||
         f->time < v->open.to )
        return;
    v->open.has_vector = true;
    v->open.vector = (uint8_t)f->at;
}

static void block_add_pv(void *state, const struct fact_pv *f)
{
    struct block_reasons *b = state;
    struct block_vcpu *v = get_block_vcpu(b, f->vcpu);
    uint8_t *kind;

    if ( !v )
        return;
    if ( !v->is_pv && (kind = get_domain_kind(b, f->vcpu->domain)) )
        *kind = DOMAIN_PV;
    b->has_pv = v->is_pv = true;
    v->last_call = fact_pv_is_call(f) ? f->number : UINT32_MAX;
    v->called = f->time;
}

static enum fact_event_need block_needs_event(uint32_t event)
{
    return event == TRC_HVM_EMUL_PIT_TIMER_CB ||
           event == TRC_HVM_EMUL_LAPIC_TIMER_CB ? NEED_EVENT : NEED_NO_EVENT;
}

static void block_add_event(void *state, const struct fact_event *f)
{
    struct block_reasons *b = state;
    struct block_pcpu *p;

    if ( block_needs_event(f->record->event) != NEED_EVENT ||
         f->time < b->span.first )
        return;
    p = get_block_pcpu(b, f->pcpu);
    if ( p )
        p->timer = f->time;
}

/* --- segments ------------------------------------------------------------- */

static void block_begin(void *state, const struct fact_begin *f)
{
    struct block_reasons *b = state;

    b->span = fact_begin_span(f);
    if ( f->segment )
        return;
    b->clock = *f->clock;
    b->host = f->host;
}

/* In the order of domains and ids, since the indices depend on threads. */
static int fix_open_reasons(struct block_reasons *b)
{
    uint32_t nr = b->nr_vcpus;
    struct block_vcpu **all = vcpu_array_copy(b->vcpus, &nr);

    if ( !all )
        return -ENOMEM;
    for ( uint32_t i = 0; i < nr; i++ )
        if ( all[i]->open.is_open )
            fix_reason(b, all[i]);
    free(all);
    return 0;
}

/* Times of the next segment cannot be compared. */
static int block_end(void *state, const struct fact_end *f, struct err *e)
{
    struct block_reasons *b = state;

    (void)f;
    b->failed |= fix_open_reasons(b) < 0;
    for ( uint32_t i = 0; i < b->nr_pcpus; i++ )
        b->pcpus[i] = (struct block_pcpu){ .newest = NULL };
    for ( uint32_t i = 0; i < b->nr_vcpus; i++ )
        if ( b->vcpus[i] )
            b->vcpus[i]->is_listed = false;
    return b->failed || b->pool.failed
           ? err_sys(e, -ENOMEM, "cannot keep the reasons of blocking") : 0;
}

#define BLOCK_OPS                                                           \
    .name = "block reasons", .ordered = true, .early_facts = true,          \
    .begin = block_begin,                                                   \
    .end = block_end, .runstate = block_add_runstate,                       \
    .needs_runstate = block_needs_runstate,                                 \
    .exit_pause = block_add_exit_pause,                                     \
    .exit_block = block_add_exit_block, .exit = block_add_exit,             \
    .handle = block_add_handle, .pv = block_add_pv,                         \
    .irq = block_add_irq, .event = block_add_event,                         \
    .exit_needs = NEED_INTERRUPT_EXITS, .pv_need = NEED_PV_SENDS,           \
    .needs_event = block_needs_event

/*
 * Any handler record proves to `has_handlers` that there are such records.  A
 * blocked time that the span cuts gets its reason from behind the span, but is
 * no whole one for on_block().
 */
struct sink block_reasons_sink(struct block_reasons *b)
{
    static const struct sink_ops ops = {
        BLOCK_OPS, .late_facts = true, .handle_needs = 1u << HANDLE_INJECT,
    };
    static const struct sink_ops all_handlers = { BLOCK_OPS };

    return (struct sink){ b->on_block ? &all_handlers : &ops, b };
}

/* --- order ---------------------------------------------------------------- */

static bool waker_is_before(const struct block_waker *a,
                            const struct block_waker *b)
{
    if ( a->stats.sum != b->stats.sum )
        return a->stats.sum > b->stats.sum;
    if ( a->source.reason != b->source.reason )
        return a->source.reason < b->source.reason;
    if ( a->source.has_domain != b->source.has_domain )
        return a->source.has_domain;
    if ( a->source.domain != b->source.domain )
        return a->source.domain < b->source.domain;
    return a->source.irq < b->source.irq;
}

static void sort_wakers(struct block_vcpu *v)
{
    struct block_waker *sorted = NULL, *w, *next, **at;

    for ( w = v->wakers; w; w = next )
    {
        next = w->next;
        for ( at = &sorted; *at && waker_is_before(*at, w); )
            at = &(*at)->next;
        w->next = *at;
        *at = w;
    }
    v->wakers = sorted;
}

void block_reasons_close(struct block_reasons *b)
{
    vcpu_array_sort(&b->vcpus, &b->nr_vcpus);
    for ( uint32_t i = 0; i < b->nr_vcpus; i++ )
        sort_wakers(b->vcpus[i]);
}

const struct block_vcpu *block_reasons_find(const struct block_reasons *b,
                                            uint16_t domain, uint16_t id)
{
    return vcpu_array_find(b->vcpus, b->nr_vcpus, domain, id);
}
