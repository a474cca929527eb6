/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exits: from a VM exit to the VM entry that ends it.
 *
 *     exit --- handlers ... ------------------------------ entry
 *     exit --- handlers ... --- runnable                            preempted
 *     exit --- handlers ... --- blocked --- (elsewhere) runnable    woken
 *
 * As in stock xenalyze, an exit ends when its vcpu becomes runnable: from then
 * on the vcpu waits for a pcpu and not for Xen.  The third kind ends in the
 * global machine (vcpu-runstate.c), which gets a copy of the open exit.
 *
 * This is the hottest machine: most records of most traces are entries and
 * exits.
 */
#include "xenalyze/machine/pcpu.h"

#include <string.h>

#include "common/compiler.h"

/* --- entries and exits ---------------------------------------------------- */

/* An entry or exit decides on an exit that may be open on another pcpu. */
static void resolve_remote_exit(struct pcpu *p, struct vcpu *v,
                                unsigned int kind)
{
    if ( p->may_have_remote_exit )
        pcpu_queue_change(p, kind, v);
    p->may_have_remote_exit = false;
}

/* The layouts that the loads below rely on. */
#define REASON_AT offsetof(struct xt_rec_hvm_vmexit_until_4_18, reason)
#define RIP_AT offsetof(struct xt_rec_hvm_vmexit_until_4_18, rip)

_Static_assert(XT_BITS(hvm_vmexit_until_4_18, reason) == 32 &&
               XT_BITS(hvm_vmexit_until_4_18, rip) == 32 &&
               XT_BITS(hvm_vmexit64_until_4_18, rip) == 64, "layout");
_Static_assert(offsetof(struct xt_rec_hvm_vmexit64_until_4_18, rip) == RIP_AT &&
               offsetof(struct xt_rec_hvm_vmexit, rip) == RIP_AT &&
               offsetof(struct xt_rec_hvm_vmexit64, rip) == RIP_AT &&
               offsetof(struct xt_rec_hvm_svm_exit, rip) == RIP_AT &&
               offsetof(struct xt_rec_hvm_svm_exit64, rip) == RIP_AT, "layout");

/* Set the members that follow from the event, and those of an empty exit. */
static inline void init_exit_fact(struct pcpu *p, uint32_t event)
{
    struct fact_exit *f = &p->open_exit.exit;

    /* By member: clearing the whole struct first would take as long. */
    f->pcpu = p->id;
    /* From 4.19 on the event id of an exit names the vendor. */
    f->hardware = event_minor8(event) == event_minor8(TRC_HVM_SVM_EXIT)
                  ? XT_HARDWARE_SVM : p->dialect->hardware;
    f->nested = event & TRC_HVM_NESTEDFLAG;
    f->wide = event_is_wide(event);
    f->levels = f->wide ? 4 : p->levels;
    f->handler = f->resyncs = f->unpinned = f->brute_force = 0;
    f->seen = 0;
    f->accesses = f->left_out = 0;
}

/* Words of an exit: reason, then the guest's address in one word or two. */
static inline void begin_exit(struct pcpu *p, uint32_t event,
                              const unsigned char *words)
{
    struct open_exit *o = &p->open_exit;
    struct fact_exit *f = &o->exit;

    o->open = true;
    o->nr_pending = 0;
    init_exit_fact(p, event);
    f->reason = xt_load32(words + REASON_AT);
    f->cause = exit_cause(f->hardware, f->reason);
    f->start = p->time;
    f->guest = p->entered_at ? p->time - p->entered_at : 0;
    f->rip = event_is_wide(event) ? xt_load64(words + RIP_AT)
                                  : xt_load32(words + RIP_AT);
    p->entered_at = 0;
}

static inline void handle_exit(struct pcpu *p, struct vcpu *v, uint32_t event,
                               unsigned int nr, const unsigned char *words)
{
    if ( nr < (event_is_wide(event) ? XT_WORDS(hvm_vmexit64)
                                    : XT_WORDS(hvm_vmexit)) )
    {
        p->anomalies[ANOMALY_SHORT]++;
        return;
    }
    if ( p->open_exit.open )
        p->anomalies[ANOMALY_NO_ENTRY]++;
    resolve_remote_exit(p, v, CHANGE_EXIT);
    begin_exit(p, event, words);
}

static inline void handle_entry(struct pcpu *p, struct vcpu *v)
{
    struct open_exit *o = &p->open_exit;

    if ( o->open )
        exit_emit(p->emit, v, o, p->time, EXIT_ENTERED);
    else if ( !p->may_have_remote_exit )
        p->anomalies[ANOMALY_NO_EXIT]++;
    resolve_remote_exit(p, v, CHANGE_ENTRY);
    p->entered_at = p->time;
}

static inline bool is_entry(uint32_t event)
{
    return event_minor8(event) == event_minor8(TRC_HVM_VMENTRY);
}

/* Entries, exits, and since 4.19 exits of AMD, are the minor ids 1 to 3. */
static inline bool is_entry_or_exit(uint32_t event)
{
    return event_minor8(event) - 1 < (TRC_HVM_SVM_EXIT & 0xff);
}

_Static_assert((TRC_HVM_VMENTRY & 0xff) == 1, "entries come first");

static inline void handle_entryexit(struct pcpu *p, struct vcpu *v,
                                    uint32_t event, unsigned int nr,
                                    const unsigned char *words)
{
    if ( is_entry(event) )
        handle_entry(p, v);
    else
        handle_exit(p, v, event, nr, words);
}

/* The first record of a pcpu, at least, is none for hvm_fast(). */
static inline void note_hvm(struct pcpu *p)
{
    if ( p->has_hvm || !p->begun )
        return;
    p->has_hvm = true;
    pcpu_queue_change_fast(p, CHANGE_HVM, NULL);
}

/* Only the first record matters here. */
void hvm_emulated_record(struct pcpu *p, const struct xt_record *r)
{
    note_hvm(p);
    if ( emit_wants_event(p->emit) )
        pcpu_emit_event(p, r);
}

/* The volume of all HVM records includes the record already. */
void hvm_entryexit_slow(struct pcpu *p, const struct xt_record *r)
{
    struct vcpu *v;

    note_hvm(p);
    if ( !is_entry_or_exit(r->event) )
    {
        pcpu_emit_event(p, r);
        return;
    }
    v = pcpu_get_guest(p);
    if ( !v )
        return;
    volume_add(p, is_entry(r->event) ? VOLUME_HVM_ENTRY : VOLUME_HVM_EXIT, 1,
               record_bytes(r));
    handle_entryexit(p, v, r->event, r->words, r->payload);
}

/* --- handlers ------------------------------------------------------------- */

/* The catalogue has no layout of the 32-bit form, which is two words. */
#define OLD_CR_WORDS 2u
#define OLD_CR_VALUE ((struct xt_field_place){ 32, 32 })

static void emit_cr3_load(struct pcpu *p, const struct xt_record *r)
{
    struct fact_cr3 f = {
        .vcpu = p->current, .pcpu = p->id, .time = p->time,
        .value = event_is_wide(r->event)
                 ? RECORD_FIELD(r, hvm_cr_write64, value)
                 : xt_field_load(r, OLD_CR_VALUE),
    };

    if ( f.vcpu )
        emit_cr3(p->emit, &f);
}

static void queue_interrupt(struct pcpu *p, const struct xt_record *r)
{
    if ( p->current )
        pcpu_queue_change(p, CHANGE_INJECT, p->current)->number =
            RECORD_FIELD(r, hvm_inj_virq, vector);
}

/* Effects of single events, exit or not. */
static void note_special_handler(struct pcpu *p, const struct xt_record *r)
{
    if ( r->event == TRC_HVM_INJ_VIRQ && p->wants_wake_to_halt )
        queue_interrupt(p, r);
    else if ( (r->event & ~TRC_64_FLAG) == TRC_HVM_CR_WRITE &&
              r->words >= (event_is_wide(r->event) ? XT_WORDS(hvm_cr_write64)
                                                   : OLD_CR_WORDS) &&
              RECORD_FIELD(r, hvm_cr_write64, cr) ==
                  XT_VALUE(control_register, cr3) )
        emit_cr3_load(p, r);
}

static inline bool is_special_handler(uint32_t event)
{
    return event == TRC_HVM_INJ_VIRQ ||
           (event & ~TRC_64_FLAG) == TRC_HVM_CR_WRITE;
}

/* A handler without an exit. */
COLD
static void emit_handler_now(struct pcpu *p, const struct xt_record *r,
                             struct vcpu *v)
{
    struct handler_record h = { .event = r->event, .words = r->words };

    /* A vcpu that has slept gets injections before its entry. */
    p->anomalies[ANOMALY_NO_EXIT] += handler_is_main(r->event);
    memcpy(h.payload, r->payload, 4u * r->words);
    if ( emit_wants_handle(p->emit) )
        handler_emit(p, &h, v);
}

/*
 * All slots are taken: remove records that are too short for a fact; otherwise
 * the main handler replaces the last one.  False: there is no slot for `event`.
 */
COLD
static bool free_slot(struct open_exit *o, uint32_t event, bool main)
{
    unsigned int nr = 0;

    for ( unsigned int i = 0; i < o->nr_pending; i++ )
        if ( handler_is_complete(&o->pending[i]) )
            o->pending[nr++] = o->pending[i];
    debug_assert(nr <= FACT_HANDLERS);
    if ( nr == FACT_HANDLERS )
        o->exit.left_out += handler_is_access(main ? o->pending[--nr].event
                                                   : event);
    o->nr_pending = nr;
    return nr < FACT_HANDLERS;
}

/* NULL: no slot is left. */
static inline struct handler_record *defer_handler(struct open_exit *o,
                                                   uint32_t event,
                                                   unsigned int words,
                                                   bool main)
{
    struct handler_record *h;

    debug_assert(o->open && o->nr_pending <= FACT_HANDLERS);
    if ( o->nr_pending == FACT_HANDLERS && !free_slot(o, event, main) )
        return NULL;
    h = &o->pending[o->nr_pending++];
    h->event = event;
    h->words = words;
    h->main = main;
    return h;
}

/* NULL: no copy of the record is wanted. */
static inline struct handler_record *add_handler(struct pcpu *p,
                                                 uint32_t event,
                                                 unsigned int words,
                                                 unsigned int minor)
{
    struct open_exit *o = &p->open_exit;
    bool main = !o->exit.handler && handler_is_main(event);

    o->exit.seen |= minor < 64 ? UINT64_C(1) << minor : 0;
    if ( main )
        o->exit.handler = minor;
    return emit_wants_handle(p->emit) ? defer_handler(o, event, words, main)
                                      : NULL;
}

void hvm_add_handler(struct pcpu *p, const struct xt_record *r,
                     unsigned int minor)
{
    struct vcpu *v = pcpu_get_guest(p);
    struct handler_record *h;

    if ( !v )
        return;
    if ( !p->open_exit.open )
    {
        emit_handler_now(p, r, v);
        return;
    }
    h = add_handler(p, r->event, r->words, minor);
    if ( h )
        memcpy(h->payload, r->payload, 4u * r->words);
}

void hvm_handler_slow(struct pcpu *p, const struct xt_record *r)
{
    note_hvm(p);
    if ( is_special_handler(r->event) )
        note_special_handler(p, r);
    hvm_add_handler(p, r, event_minor8(r->event));
}

/* --- fast path: consecutive records of a guest ---------------------------- */

/* The longest record, and the bytes behind it that its copy includes. */
#define FAST_BYTES ((ptrdiff_t)(RECORD_PAYLOAD + HANDLER_PAYLOAD))

#define SUBCLASS(event) ((event) >> TRC_SUBCLS_SHIFT)

/* Counts of the records that hvm_fast() reads, for the volumes at its end. */
struct counts
{
    uint64_t entries, exits, handlers;
    uint64_t entry_bytes, handler_bytes;
};

/* The records are `bytes` long together. */
static void add_counts(struct pcpu *p, const struct counts *n, size_t bytes)
{
    uint64_t both = bytes - n->handler_bytes;

    volume_add(p, VOLUME_HVM_HANDLER, n->handlers, n->handler_bytes);
    volume_add(p, VOLUME_HVM, n->entries + n->exits, both);
    volume_add(p, VOLUME_HVM_ENTRY, n->entries, n->entry_bytes);
    volume_add(p, VOLUME_HVM_EXIT, n->exits, both - n->entry_bytes);
}

/* Handle `words` words at `payload`; more bytes are readable behind them. */
static inline void handler_fast(struct pcpu *p, uint32_t event,
                                unsigned int words,
                                const unsigned char *payload)
{
    struct handler_record *h;

    if ( is_special_handler(event) || !p->open_exit.open )
    {
        const struct xt_record r = { .event = event, .words = words,
                                     .payload = payload };

        if ( !p->open_exit.open )
        {
            hvm_handler_slow(p, &r);
            return;
        }
        note_special_handler(p, &r);
    }
    h = add_handler(p, event, words, event_minor8(event));
    if ( h )
        memcpy(h->payload, payload, sizeof(h->payload));
}

/*
 * Handle the record with this header at `at`.  Returns its end; NULL: the
 * record is of another kind, or its time is out of range.
 */
__attribute__((always_inline))
static inline const unsigned char *
record_fast(struct pcpu *p, struct vcpu *v, struct counts *n, uint32_t header,
            const unsigned char *at, uint64_t offset, uint64_t limit)
{
    uint32_t event = TRC_HD_TO_EVENT(header);
    bool is_handler = SUBCLASS(event) == SUBCLASS(TRC_HVM_HANDLER);
    unsigned int words = TRC_HD_EXTRA(header);
    const unsigned char *payload = at + 4;

    if ( !is_handler && !(SUBCLASS(event) == SUBCLASS(TRC_HVM_ENTRYEXIT) &&
                          is_entry_or_exit(event)) )
        return NULL;
    if ( header & TRC_HD_CYCLE_FLAG )
    {
        uint64_t time = xt_load64(payload) + offset;

        if ( time - p->time > PCPU_JUMP || time > limit )
            return NULL;
        p->time = time;
        payload += 8;
    }
    if ( is_handler )
    {
        n->handlers++;
        n->handler_bytes += xt_record_size(header);
        handler_fast(p, event, words, payload);
    }
    else
    {
        n->entries += is_entry(event);
        n->exits += !is_entry(event);
        n->entry_bytes += is_entry(event) ? xt_record_size(header) : 0;
        handle_entryexit(p, v, event, words, payload);
    }
    return payload + 4 * words;
}

#define ENTRY_HEADER record_header(TRC_HVM_VMENTRY, XT_WORDS(hvm_vmentry))
#define EXIT_HEADER record_header(TRC_HVM_VMEXIT64, XT_WORDS(hvm_vmexit64))
#define ENTRY_BYTES ((ptrdiff_t)RECORD_PAYLOAD)
#define EXIT_BYTES ((ptrdiff_t)RECORD_PAYLOAD + 4 * XT_WORDS(hvm_vmexit64))
#define PAIR_BYTES (EXIT_BYTES + ENTRY_BYTES)

_Static_assert(XT_WORDS(hvm_vmentry) == 0, "an entry is a header and a time");
_Static_assert(PAIR_BYTES <= FAST_BYTES, "a pair is readable");

/* Does an entry follow the exit at `at` at once? */
static inline bool is_before_entry(const unsigned char *at)
{
    return xt_load32(at + EXIT_BYTES) == ENTRY_HEADER;
}

/*
 * Handle pairs of an exit and an entry.  Such an exit is emitted without
 * being opened, and has most members in common with the one before.  Returns
 * the end of the last pair.
 */
static const unsigned char *pairs_fast(struct pcpu *p, struct vcpu *v,
                                       struct counts *n,
                                       const unsigned char *at,
                                       const unsigned char *end,
                                       uint64_t offset, uint64_t limit)
{
    struct fact_exit *f = &p->open_exit.exit;
    const unsigned char *from = at;
    uint64_t pairs;

    debug_assert(!p->open_exit.open && !p->may_have_remote_exit);
    init_exit_fact(p, TRC_HVM_VMEXIT64);
    f->vcpu = v;
    f->end = EXIT_ENTERED;
    for ( ; end - at >= FAST_BYTES && xt_load32(at) == EXIT_HEADER &&
            is_before_entry(at); at += PAIR_BYTES )
    {
        uint64_t start = xt_load64(at + 4) + offset;
        uint64_t stop = xt_load64(at + EXIT_BYTES + 4) + offset;

        if ( start - p->time > PCPU_JUMP || stop - start > PCPU_JUMP ||
             stop > limit )
            break;
        f->reason = xt_load32(at + RECORD_PAYLOAD + REASON_AT);
        f->cause = exit_cause(f->hardware, f->reason);
        f->rip = xt_load64(at + RECORD_PAYLOAD + RIP_AT);
        f->guest = p->entered_at ? start - p->entered_at : 0;
        f->start = start;
        f->cycles = stop - start;
        p->time = p->entered_at = stop;
        emit_exit(p->emit, f);
    }
    pairs = (at - from) / PAIR_BYTES;
    n->exits += pairs;
    n->entries += pairs;
    n->entry_bytes += pairs * ENTRY_BYTES;
    return at;
}

const unsigned char *hvm_fast(struct pcpu *p, const unsigned char *at,
                              const unsigned char *end, uint64_t offset,
                              uint64_t limit)
{
    struct vcpu *v = p->current ? p->current : p->default_vcpu;
    const unsigned char *from = at, *next;
    struct counts n = { 0 };

    if ( !p->has_hvm || !v || vcpu_is_idle(v) )
        return at;
    debug_assert(p->begun);
    for ( ; end - at >= FAST_BYTES; at = next )
    {
        uint32_t header = xt_load32(at);

        if ( header == EXIT_HEADER && is_before_entry(at) &&
             !p->open_exit.open && !p->may_have_remote_exit )
        {
            next = pairs_fast(p, v, &n, at, end, offset, limit);
            if ( next > at )
                continue;
        }
        /* The compiler makes a copy of the code for each constant header. */
        if ( header == ENTRY_HEADER )
            next = record_fast(p, v, &n, ENTRY_HEADER, at, offset, limit);
        else if ( header == EXIT_HEADER )
            next = record_fast(p, v, &n, EXIT_HEADER, at, offset, limit);
        else
            next = record_fast(p, v, &n, header, at, offset, limit);
        if ( !next )
            break;
    }
    add_counts(p, &n, at - from);
    return at;
}

/* --- leaving the pcpu ----------------------------------------------------- */

static void queue_blocked_exit(struct pcpu *p)
{
    size_t bytes = open_exit_size(&p->open_exit);
    void *copy = arena_alloc(p->scratch, bytes, _Alignof(struct open_exit));

    if ( !copy )
    {
        p->changes.failed = true;
        return;
    }
    debug_assert(p->open_exit.open && p->current);
    memcpy(copy, &p->open_exit, bytes);
    pcpu_queue_change(p, CHANGE_EXIT_BLOCKED, p->current)->data = copy;
}

void hvm_deschedule(struct pcpu *p, unsigned int next)
{
    struct vcpu *v = p->current ? p->current : p->default_vcpu;

    debug_assert(p->open_exit.open && v);
    if ( next == STATE_RUNNABLE )
        exit_emit(p->emit, v, &p->open_exit, p->time, EXIT_PREEMPTED);
    else if ( p->current )
        queue_blocked_exit(p);
    p->open_exit.open = false;
}
