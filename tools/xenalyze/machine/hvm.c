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

/* --- entries and exits ---------------------------------------------------- */

/* An entry or exit decides on an exit that may be open on another pcpu. */
static void resolve_remote_exit(struct pcpu *p, struct vcpu *v,
                                unsigned int kind)
{
    if ( p->may_have_remote_exit )
        pcpu_queue_change(p, kind, v);
    p->may_have_remote_exit = false;
}

/* The layouts that the loads below rely on, here and in emit_pair(). */
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

/* Words of an exit: reason, then the guest's address in one word or two. */
static inline void begin_exit(struct pcpu *p, uint32_t event,
                              const unsigned char *words)
{
    struct open_exit *o = &p->open_exit;
    /* From 4.19 on the event id of an exit names the vendor. */
    unsigned int hardware =
        event_minor8(event) == event_minor8(TRC_HVM_SVM_EXIT)
        ? XT_HARDWARE_SVM : p->dialect->hardware;
    bool wide = event_is_wide(event);
    uint32_t reason = xt_load32(words + REASON_AT);

    o->open = true;
    o->nr_pending = 0;
    o->exit = (struct fact_exit){
        .pcpu = p->id, .reason = reason,
        .cause = exit_cause(hardware, reason), .hardware = hardware,
        .nested = event & TRC_HVM_NESTEDFLAG, .wide = wide,
        .levels = wide ? 4 : p->levels, .start = p->time,
        .guest = p->entered_at ? p->time - p->entered_at : 0,
        .rip = wide ? xt_load64(words + RIP_AT) : xt_load32(words + RIP_AT),
    };
    p->entered_at = 0;
}

/* Apart from entries, which need fewer registers. */
__attribute__((noinline))
static void handle_exit(struct pcpu *p, const struct xt_record *r,
                        struct vcpu *v)
{
    if ( !record_has_words(p, r, event_is_wide(r->event)
                                 ? XT_WORDS(hvm_vmexit64)
                                 : XT_WORDS(hvm_vmexit)) )
        return;
    if ( p->open_exit.open )
        p->anomalies[ANOMALY_NO_ENTRY]++;
    resolve_remote_exit(p, v, CHANGE_EXIT);
    begin_exit(p, r->event, r->payload);
}

static void handle_entry(struct pcpu *p, struct vcpu *v)
{
    struct open_exit *o = &p->open_exit;

    if ( o->open )
        exit_emit(p->emit, v, o, p->time, EXIT_ENTERED);
    else if ( !p->may_have_remote_exit )
        p->anomalies[ANOMALY_NO_EXIT]++;
    resolve_remote_exit(p, v, CHANGE_ENTRY);
    p->entered_at = p->time;
}

void hvm_entryexit_slow(struct pcpu *p, const struct xt_record *r)
{
    unsigned int minor = event_minor8(r->event);
    struct vcpu *v;

    if ( !minor || minor > event_minor8(TRC_HVM_SVM_EXIT) )
    {
        volume_add_record(p, VOLUME_HVM, r);
        pcpu_emit_event(p, r);
        return;
    }
    v = pcpu_get_guest(p);
    if ( !v )
    {
        volume_add_record(p, VOLUME_HVM, r);
        return;
    }
    if ( minor == event_minor8(TRC_HVM_VMENTRY) )
    {
        volume_add_record(p, VOLUME_HVM_ENTRY, r);
        handle_entry(p, v);
    }
    else
    {
        volume_add_record(p, VOLUME_HVM_EXIT, r);
        handle_exit(p, r, v);
    }
}

/* --- fast path: consecutive pairs of exit and entry ----------------------- */

#define FAST_ENTRY record_header(TRC_HVM_VMENTRY, XT_WORDS(hvm_vmentry))
#define FAST_EXIT record_header(TRC_HVM_VMEXIT, XT_WORDS(hvm_vmexit))
#define FAST_EXIT64 \
    record_header(TRC_HVM_VMEXIT64, XT_WORDS(hvm_vmexit64))

#define ENTRY_BYTES RECORD_PAYLOAD
_Static_assert(XT_WORDS(hvm_vmentry) == 0, "an entry is a header and a time");
#define EXIT_BYTES (RECORD_PAYLOAD + 4 * XT_WORDS(hvm_vmexit))
#define EXIT64_BYTES (RECORD_PAYLOAD + 4 * XT_WORDS(hvm_vmexit64))

static inline bool is_pair(const unsigned char *at, const unsigned char *end)
{
    uint32_t header;

    if ( end - at < (ptrdiff_t)(EXIT64_BYTES + ENTRY_BYTES) )
        return false;
    header = xt_load32(at);
    if ( header == FAST_EXIT64 )
        return xt_load32(at + EXIT64_BYTES) == FAST_ENTRY;
    return header == FAST_EXIT && xt_load32(at + EXIT_BYTES) == FAST_ENTRY;
}

/* Emit the exit at `at`; the entry is at time `end`. */
static inline void emit_pair(struct pcpu *p, const unsigned char *at, bool wide,
                             uint64_t start, uint64_t end)
{
    struct fact_exit *f = &p->open_exit.exit;

    debug_assert(p->time <= start && start <= end);
    debug_assert(f->vcpu == p->current);
    f->reason = xt_load32(at + RECORD_PAYLOAD + REASON_AT);
    f->cause = exit_cause(f->hardware, f->reason);
    f->wide = wide;
    f->levels = wide ? 4 : p->levels;
    f->rip = wide ? xt_load64(at + RECORD_PAYLOAD + RIP_AT)
                  : xt_load32(at + RECORD_PAYLOAD + RIP_AT);
    f->guest = p->entered_at ? start - p->entered_at : 0;
    f->start = start;
    f->cycles = end - start;
    emit_exit(p->emit, f);
    p->time = p->entered_at = end;
}

/*
 * The loop for the common case: a known guest exits and enters, repeatedly,
 * without handler records, anomalies or jumps in time.
 */
const unsigned char *hvm_entryexit_fast(struct pcpu *p,
                                        const unsigned char *at,
                                        const unsigned char *end,
                                        uint64_t offset, uint64_t limit)
{
    struct vcpu *v = p->current;
    const unsigned char *from = at;
    uint64_t times = 0;

    if ( p->open_exit.open || !v || vcpu_is_idle(v) ||
         p->may_have_remote_exit || !is_pair(at, end) )
        return at;
    p->open_exit.nr_pending = 0;
    p->open_exit.exit = (struct fact_exit){
        .vcpu = v, .pcpu = p->id, .hardware = p->dialect->hardware,
        .end = EXIT_ENTERED,
    };
    do
    {
        bool wide = xt_load32(at) == FAST_EXIT64;
        size_t size = wide ? EXIT64_BYTES : EXIT_BYTES;
        uint64_t start = xt_load64(at + 4) + offset;
        uint64_t stop = xt_load64(at + size + 4) + offset;

        if ( start - p->time > PCPU_JUMP || stop - start > PCPU_JUMP ||
             stop > limit )
            break;
        emit_pair(p, at, wide, start, stop);
        at += size + ENTRY_BYTES;
        times++;
    }
    while ( is_pair(at, end) );
    volume_add(p, VOLUME_HVM_ENTRY, times, times * ENTRY_BYTES);
    volume_add(p, VOLUME_HVM_EXIT, times, at - from - times * ENTRY_BYTES);
    return at;
}

/* --- handlers ------------------------------------------------------------- */

/* A handler without an exit. */
static void emit_handler_now(struct pcpu *p, const struct xt_record *r,
                             struct vcpu *v)
{
    struct fact_handle f;

    if ( !handler_decode(&f, p, r, false) )
        return;
    f.vcpu = v;
    emit_handle(p->emit, &f);
}

/* When all slots are taken, the main handler replaces the last one. */
static void defer_handler(struct pcpu *p, const struct xt_record *r, bool main)
{
    struct open_exit *o = &p->open_exit;

    debug_assert(o->open && o->nr_pending <= FACT_HANDLERS);
    if ( o->nr_pending == FACT_HANDLERS )
    {
        if ( !main )
            return;
        o->nr_pending--;
    }
    o->nr_pending += handler_decode(&o->pending[o->nr_pending], p, r, main);
}

void hvm_add_handler(struct pcpu *p, const struct xt_record *r,
                     unsigned int minor)
{
    struct vcpu *v = pcpu_get_guest(p);
    struct open_exit *o = &p->open_exit;
    bool main;

    if ( !v )
        return;
    if ( o->open )
    {
        main = !o->exit.handler && handler_is_main(r->event);
        o->exit.seen |= minor < 64 ? UINT64_C(1) << minor : 0;
        if ( main )
            o->exit.handler = minor;
        if ( emit_wants_handle(p->emit) )
            defer_handler(p, r, main);
        return;
    }
    /* A vcpu that has slept gets injections before its entry. */
    p->anomalies[ANOMALY_NO_EXIT] += handler_is_main(r->event);
    if ( emit_wants_handle(p->emit) )
        emit_handler_now(p, r, v);
}

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

void hvm_handler_record(struct pcpu *p, const struct xt_record *r)
{
    if ( (r->event & ~TRC_64_FLAG) == TRC_HVM_CR_WRITE &&
         r->words >= (event_is_wide(r->event) ? XT_WORDS(hvm_cr_write64)
                                              : OLD_CR_WORDS) &&
         RECORD_FIELD(r, hvm_cr_write64, cr) ==
             XT_VALUE(control_register, cr3) )
        emit_cr3_load(p, r);
    else if ( r->event == TRC_HVM_INJ_VIRQ && p->wants_wake_to_halt )
        queue_interrupt(p, r);
    hvm_add_handler(p, r, event_minor8(r->event));
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
