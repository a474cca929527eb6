/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The copies are in the scratch memory of the epoch, which is freed when the
 * changes are applied.  Most facts are exits and events, of which most sinks
 * need few: what is not needed costs no copy, and only its moment is queued.
 */
#include <assert.h>
#include <string.h>

#include "common/compiler.h"
#include "common/debug.h"
#include "xenalyze/engine/engine-private.h"

#define BLOCK_BYTES 16384u      /* of scratch memory, allocated at once */

COLD
static void *alloc_slow(struct fact_queue *q, size_t bytes)
{
    char *block = arena_alloc(q->pcpu->scratch, BLOCK_BYTES, 8);

    debug_assert(bytes <= BLOCK_BYTES);
    if ( !block )
    {
        q->pcpu->changes.failed = true;
        return NULL;
    }
    q->at = block + bytes;
    q->end = block + BLOCK_BYTES;
    return block;
}

/* Scratch memory; NULL, remembered: there is none. */
static inline void *alloc_bytes(struct fact_queue *q, size_t bytes)
{
    void *piece = q->at;

    bytes = (bytes + 7) & ~(size_t)7;
    if ( (size_t)(q->end - q->at) < bytes )
        return alloc_slow(q, bytes);
    q->at += bytes;
    return piece;
}

static inline void *copy_bytes(struct fact_queue *q, const void *from,
                               size_t bytes)
{
    void *copy = alloc_bytes(q, bytes);

    if ( copy )
        memcpy(copy, from, bytes);
    return copy;
}

/* Queue a fact, which is in scratch memory, behind all that ends at `time`. */
static inline void queue_fact(struct fact_queue *q, enum emit_local_kind kind,
                              uint64_t time, void *fact)
{
    struct pcpu *p = q->pcpu;

    debug_assert(fact && time >= p->time);
    *changes_add(&p->changes) = (struct change){
        .time = time, .data = fact, .pcpu = p->id, .kind = CHANGE_FACT,
        .old = kind };
}

/* What was emitted before the span does not count. */
static inline void enter_span(const struct fact_queue *q, uint64_t time)
{
    struct pcpu *p = q->pcpu;

    if ( p->in_span || time < q->from )
        return;
    p->in_span = true;
    p->exit_vcpu = p->pv_vcpu = NULL;
}

/* A gap that is a fact. */
NOINLINE
static void queue_gap(struct fact_queue *q, uint64_t from, uint64_t to,
                      uint64_t time)
{
    struct pcpu *p = q->pcpu;
    const struct fact_moment f = { .pcpu = p->id, .from = from, .to = to };
    void *copy = copy_bytes(q, &f, sizeof(f));

    debug_assert(from <= to && to <= time);
    if ( copy )
        *changes_add(&p->changes) = (struct change){
            .time = time, .data = copy, .pcpu = p->id,
            .kind = CHANGE_MOMENT };
}

/* There was a record at `at`, `time` is that of the fact. */
static inline void note_time(struct fact_queue *q, uint64_t at,
                               uint64_t time)
{
    uint64_t from;

    if ( moment_gaps_add(&q->pcpu->gaps, at, q->gap, &from) )
        queue_gap(q, from, at, time);
}

/* --- facts without pointers to memory that changes ------------------------ */

#define COPY_FACT(q, name, fact, time)                                      \
do {                                                                        \
    void *copy = copy_bytes(q, fact, sizeof(*(fact)));                      \
                                                                            \
    if ( copy )                                                             \
        queue_fact(q, EMIT_LOCAL_##name, time, copy);                       \
} while ( 0 )

#define QUEUE_FLAT(name)                                                    \
static void queue_##name(void *state, const struct fact_##name *f)          \
{                                                                           \
    struct fact_queue *q = state;                                           \
                                                                            \
    COPY_FACT(q, name, f, q->pcpu->time);                                   \
}
QUEUE_FLAT(volume) QUEUE_FLAT(cr3) QUEUE_FLAT(memory)
#undef QUEUE_FLAT

/* A vcpu arrives on the pcpu, or leaves it. */
static void queue_pcpu(void *state, const struct fact_pcpu *f)
{
    struct fact_queue *q = state;

    q->pcpu->pv_vcpu = NULL;
    if ( q->wants_pcpus )
        COPY_FACT(q, pcpu, f, q->pcpu->time);
}

static void queue_irq(void *state, const struct fact_irq *f)
{
    struct fact_queue *q = state;

    q->pcpu->has_irq |= f->kind == IRQ_HANDLED;
    if ( q->wants_irqs )
        COPY_FACT(q, irq, f, f->time);
    note_time(q, f->time, f->time);
}

static void queue_power(void *state, const struct fact_power *f)
{
    struct fact_queue *q = state;

    if ( q->wants_power )
        COPY_FACT(q, power, f, f->time);
    note_time(q, f->time, f->time);
}

/* --- PV guests ------------------------------------------------------------ */

/* Is the fact one of NEED_PV_SENDS?  Most are not. */
static inline bool is_pv_send(const struct fact_queue *q,
                              const struct fact_pv *f)
{
    struct pcpu *p = q->pcpu;
    bool is_call = fact_pv_is_call(f), is_first, had_call, had_sent;

    if ( p->in_span && p->pv_vcpu == f->vcpu && p->has_call && !p->has_sent &&
         !(is_call && hypercall_may_send(f->number)) )
        return false;
    enter_span(q, f->time);
    is_first = p->pv_vcpu != f->vcpu;
    had_call = !is_first && p->has_call;
    had_sent = !is_first && p->has_sent;
    p->pv_vcpu = f->vcpu;
    p->has_call = had_call || is_call;
    p->has_sent = is_call && hypercall_may_send(f->number);
    return is_first || had_sent || p->has_sent || (is_call && !had_call);
}

static void queue_pv(void *state, const struct fact_pv *f)
{
    struct fact_queue *q = state;

    if ( q->wants_all_pv || (q->wants_pv_sends && is_pv_send(q, f)) )
        COPY_FACT(q, pv, f, f->time);
    note_time(q, f->time, f->time);
}

/* --- exits and handlers --------------------------------------------------- */

/* The machine's time may still be that of the record before. */
static uint64_t find_exit_end(const struct pcpu *p, const struct fact_exit *f)
{
    uint64_t end = f->start + f->cycles;

    return end > p->time ? end : p->time;
}

static inline bool needs_exit(const struct fact_queue *q,
                              const struct fact_exit *f)
{
    const struct pcpu *p = q->pcpu;
    uint32_t fits = 1u << 31;           /* of a sink that needs all */

    enter_span(q, f->start);
    if ( p->exit_vcpu != f->vcpu )
        fits |= NEED_FIRST_EXITS;
    if ( p->has_irq )
        fits |= NEED_EXITS_AFTER_IRQ;
    if ( exit_is_interrupt(f->hardware, f->reason) )
        fits |= NEED_INTERRUPT_EXITS;
    if ( exit_is_pause(f->hardware, f->reason) )
        fits |= NEED_PAUSE_EXITS;
    return q->exit_needs & fits;
}

static void queue_exit(void *state, const struct fact_exit *f)
{
    struct fact_queue *q = state;
    struct pcpu *p = q->pcpu;
    uint64_t time = find_exit_end(p, f);

    note_time(q, f->start, time);
    if ( f->end == EXIT_ENTERED )
        note_time(q, f->start + f->cycles, time);
    if ( !needs_exit(q, f) )
        return;
    p->exit_vcpu = f->vcpu;
    p->has_irq = false;
    COPY_FACT(q, exit, f, time);
}

static void queue_handle(void *state, const struct fact_handle *f)
{
    struct fact_queue *q = state;
    struct pcpu *p = q->pcpu;
    struct fact_handle *copy;

    debug_assert(f->kind < HANDLE_KINDS);
    if ( !(q->handle_needs >> f->kind & 1) )
        return;
    copy = copy_bytes(q, f, sizeof(*f));
    if ( copy && f->exit )
        copy->exit = copy_bytes(q, f->exit, sizeof(*f->exit));
    if ( copy && (copy->exit || !f->exit) )
        queue_fact(q, EMIT_LOCAL_handle,
                   f->exit ? find_exit_end(p, f->exit) : p->time, copy);
}

/* --- events --------------------------------------------------------------- */

/* A fact about a record, with copies of the record and its words. */
struct event_copy
{
    struct fact_event fact;
    struct xt_record record;
    uint32_t payload[XT_RECORD_MAX_WORDS];
};

static void copy_event(struct fact_queue *q, const struct fact_event *f,
                       bool is_chosen)
{
    const struct xt_record *r = f->record;
    struct event_copy *copy =
        alloc_bytes(q, offsetof(struct event_copy, payload) + 4u * r->words);

    debug_assert(r->words <= XT_RECORD_MAX_WORDS);
    if ( !copy )
        return;
    copy->fact = *f;
    copy->fact.is_chosen = is_chosen;
    copy->fact.record = &copy->record;
    /* Field by field: they have just been written. */
    copy->record = (struct xt_record){
        .event = r->event, .words = r->words, .has_tsc = r->has_tsc,
        .tsc = r->tsc, .payload = (const unsigned char *)copy->payload };
    for ( unsigned int i = 0; i < r->words; i++ )
        copy->payload[i] = xt_load32(r->payload + 4 * i);
    queue_fact(q, EMIT_LOCAL_event, f->time, &copy->fact);
}

static void queue_no_record(struct fact_queue *q, struct event_choice *c,
                            const struct fact_event *f)
{
    (void)f;
    if ( q->ignored )
        q->ignored[emit_event_hash(c->event)] = c->event;
}

static void queue_first_record(struct fact_queue *q, struct event_choice *c,
                               const struct fact_event *f)
{
    c->queue = queue_no_record;
    copy_event(q, f, false);
}

static void queue_all_records(struct fact_queue *q, struct event_choice *c,
                              const struct fact_event *f)
{
    (void)c;
    copy_event(q, f, false);
}

static void queue_some_records(struct fact_queue *q, struct event_choice *c,
                               const struct fact_event *f)
{
    bool is_early = f->time < q->from;
    bool is_chosen = !is_early && c->filter(&q->pcpu->events, f);

    if ( is_chosen || is_early || c->needs_all )
        copy_event(q, f, is_chosen);
}

COLD
static struct event_choice choose_event(const struct fact_queue *q,
                                        uint32_t event)
{
    enum fact_event_need most = NEED_NO_EVENT;
    struct event_choice c = { .event = event };

    for ( size_t i = 0; i < q->nr_sinks; i++ )
    {
        const struct sink_ops *ops = q->sinks[i].ops;
        enum fact_event_need need;

        if ( !ops->ordered || !ops->event )
            continue;
        need = ops->needs_event ? ops->needs_event(event) : NEED_EVENT;
        if ( need == NEED_SOME_EVENTS )
            c.filter = q->event_filter(event);
        most = need > most ? need : most;
    }
    c.needs_all = most == NEED_EVENT;
    c.queue = c.filter ? queue_some_records
              : most == NEED_EVENT ? queue_all_records
              : most == NEED_FIRST_EVENT ? queue_first_record
                                         : queue_no_record;
    return c;
}

static void queue_event(void *state, const struct fact_event *f)
{
    struct fact_queue *q = state;
    uint32_t event = f->record->event;
    struct event_choice *c = &q->choices[emit_event_hash(event)];

    if ( c->event != event )
        *c = choose_event(q, event);
    note_time(q, f->time, f->time);
    c->queue(q, c, f);
}

static void queue_domain_name(void *state, const struct fact_domain_name *f)
{
    struct fact_queue *q = state;
    struct fact_domain_name *copy = copy_bytes(q, f, sizeof(*f));

    if ( copy )
        copy->name = copy_bytes(q, f->name, strlen(f->name) + 1);
    if ( copy && copy->name )
        queue_fact(q, EMIT_LOCAL_domain_name, q->pcpu->time, copy);
}

/* --- the queue ------------------------------------------------------------ */

static void subscribe_to(struct fact_queue *q, const struct sink_ops *ops)
{
#define SUBSCRIBE(kind) q->ops.kind = ops->kind ? queue_##kind : q->ops.kind;
    SUBSCRIBE(pcpu) SUBSCRIBE(volume) SUBSCRIBE(exit) SUBSCRIBE(handle)
    SUBSCRIBE(cr3) SUBSCRIBE(pv) SUBSCRIBE(memory) SUBSCRIBE(irq)
    SUBSCRIBE(power) SUBSCRIBE(event) SUBSCRIBE(domain_name)
#undef SUBSCRIBE
    q->wants_pcpus |= ops->pcpu != NULL;
    q->wants_all_pv |= ops->pv && ops->pv_need == NEED_PV;
    q->wants_pv_sends |= ops->pv != NULL;
    q->wants_irqs |= ops->irq != NULL;
    q->wants_power |= ops->power != NULL;
    if ( ops->exit )
        q->exit_needs |= ops->exit_needs ? ops->exit_needs : UINT32_MAX;
    /* A pcpu has one memory: sinks of several reports need the same records. */
    assert(!ops->event_filter || !q->event_filter ||
           ops->event_filter == q->event_filter);
    if ( ops->event_filter )
        q->event_filter = ops->event_filter;
    if ( ops->handle )
        q->handle_needs |= ops->handle_needs ? ops->handle_needs : UINT32_MAX;
}

struct sink fact_queue_sink(struct fact_queue *q, const struct sink *sinks,
                            size_t nr_sinks, uint64_t from)
{
    bool wants_moments = false;

    assert(sinks || !nr_sinks);
    *q = (struct fact_queue){
        .ops = { .name = "queue" }, .sinks = sinks, .nr_sinks = nr_sinks,
        .from = from };
    for ( size_t i = 0; i < nr_sinks; i++ )
        if ( sinks[i].ops->ordered )
        {
            subscribe_to(q, sinks[i].ops);
            wants_moments |= sinks[i].ops->moment != NULL;
        }
    if ( q->wants_pv_sends )
        q->ops.pcpu = queue_pcpu;
    if ( q->exit_needs & NEED_EXITS_AFTER_IRQ )
        q->ops.irq = queue_irq;
    if ( wants_moments )
    {
        q->ops.exit = queue_exit;
        q->ops.pv = queue_pv;
        q->ops.irq = queue_irq;
        q->ops.power = queue_power;
        q->ops.event = queue_event;
    }
    for ( size_t i = 0; i < 1u << EMIT_EVENT_BITS; i++ )
        q->choices[i].event = UINT32_MAX;
    return (struct sink){ &q->ops, q };
}

void fact_queue_connect(struct fact_queue *q, const struct emit *emit)
{
    q->ignored = emit->event.state == q ? emit->ignored : NULL;
}

/* --- moments without a queue ---------------------------------------------- */

static void emit_gap(const struct analysis *a, uint32_t pcpu, uint64_t at)
{
    struct pcpu *p = pcpu < a->nr_pcpus ? a->pcpus[pcpu] : NULL;
    struct fact_moment f = { .pcpu = pcpu, .to = at };

    if ( p && moment_gaps_add(&p->gaps, at, a->moment_gap, &f.from) )
        emit_moment(&a->global.ordered, &f);
}

static void emit_exit_gaps(void *state, const struct fact_exit *f)
{
    emit_gap(state, f->pcpu, f->start);
    if ( f->end == EXIT_ENTERED )
        emit_gap(state, f->pcpu, f->start + f->cycles);
}

#define EMIT_GAP(name)                                                      \
static void emit_##name##_gap(void *state, const struct fact_##name *f)     \
{                                                                           \
    emit_gap(state, f->pcpu, f->time);                                      \
}
EMIT_GAP(pv) EMIT_GAP(irq) EMIT_GAP(power) EMIT_GAP(event)
#undef EMIT_GAP

struct sink fact_moment_sink(struct analysis *a)
{
    static const struct sink_ops ops = {
        .name = "moments", .exit = emit_exit_gaps, .pv = emit_pv_gap,
        .irq = emit_irq_gap, .power = emit_power_gap, .event = emit_event_gap,
    };

    return (struct sink){ &ops, a };
}
