/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exits: from a VM exit to the VM entry that ends it.
 *
 *     exit --- handlers ... ------------------------------ entry
 *     exit --- handlers ... --- runnable                            preempted
 *     exit --- handlers ... --- blocked --- (elsewhere) runnable    woken
 *
 * As stock has it, an exit ends when its vcpu becomes runnable, for then it
 * waits for a pcpu and not for Xen.  The third line ends in the machine of the
 * world (outside.c), which is handed what is known by then.
 *
 * This is the hottest machine: most records of most traces are its.
 */
#include "xenalyze/machine/pcpu.h"

#include <string.h>

#include "xenalyze/model/model.h"

#define MINOR(event) ((event) & 0xff)
#define IS_WIDE(event) ((event) & 0x100)
#define IS_NESTED(event) ((event) & 0x400)

/* What an entry or an exit means for an exit that is open elsewhere. */
static void settle(struct pcpu *p, struct vcpu *v, unsigned int kind)
{
    if ( p->entry_due )
        pcpu_change(p, kind, v);
    p->entry_due = false;
}

/* The words of an exit are the reason and the guest's address: one or two. */
static inline void open_exit(struct pcpu *p, uint32_t event,
                             const unsigned char *words)
{
    struct outside *o = &p->outside;
    /* From 4.19 on an exit says whose it is. */
    unsigned int hardware = MINOR(event) == MINOR(TRC_HVM_SVM_EXIT)
                            ? XT_HARDWARE_SVM : p->dialect->hardware;
    bool wide = IS_WIDE(event);
    uint32_t reason = xt_load32(words);

    o->open = true;
    o->nr_held = 0;
    o->exit = (struct fact_exit){
        .pcpu = p->id, .reason = reason,
        .cause = exit_cause(hardware, reason), .hardware = hardware,
        .nested = IS_NESTED(event), .wide = wide,
        .levels = wide ? 4 : p->levels, .start = p->time,
        .guest = p->entered ? p->time - p->entered : 0,
        .rip = wide ? xt_load64(words + 4) : xt_load32(words + 4),
    };
    p->entered = 0;
}

static void vm_exit(struct pcpu *p, const struct xt_record *r,
                    struct vcpu *v)
{
    if ( !has_words(p, r, IS_WIDE(r->event) ? 3 : 2) )
        return;
    if ( p->outside.open )
        p->anomalies[ANOMALY_NO_ENTRY]++;
    settle(p, v, CHANGE_EXIT);
    open_exit(p, r->event, r->payload);
}

static void vm_entry(struct pcpu *p, struct vcpu *v)
{
    struct outside *o = &p->outside;

    if ( o->open )
        outside_tell(p->emit, v, o, p->time, EXIT_ENTERED);
    else if ( !p->entry_due )
        p->anomalies[ANOMALY_NO_EXIT]++;
    settle(p, v, CHANGE_ENTRY);
    p->entered = p->time;
}

void hvm_entryexit_record(struct pcpu *p, const struct xt_record *r)
{
    unsigned int minor = MINOR(r->event);
    struct vcpu *v;

    if ( !minor || minor > MINOR(TRC_HVM_SVM_EXIT) )
    {
        count_volume(p, VOLUME_HVM, r);
        event_record(p, r);
        return;
    }
    v = pcpu_guest(p);
    if ( !v )
    {
        count_volume(p, VOLUME_HVM, r);
        return;
    }
    if ( minor == MINOR(TRC_HVM_VMENTRY) )
    {
        count_volume(p, VOLUME_HVM_ENTRY, r);
        vm_entry(p, v);
    }
    else
    {
        count_volume(p, VOLUME_HVM_EXIT, r);
        vm_exit(p, r, v);
    }
}

/* --- one after the other -------------------------------------------------- */

#define PLAIN_ENTRY RECORD_HEADER(TRC_HVM_VMENTRY, 0)
#define PLAIN_EXIT RECORD_HEADER(TRC_HVM_VMEXIT, 2)
#define PLAIN_EXIT64 RECORD_HEADER(TRC_HVM_VMEXIT64, 3)

#define ENTRY_BYTES 12u
#define EXIT_BYTES 20u
#define EXIT64_BYTES 24u

/* Is there an exit with its entry behind it? */
static inline bool is_pair(const unsigned char *at, const unsigned char *end)
{
    uint32_t header;

    if ( end - at < (ptrdiff_t)(EXIT64_BYTES + ENTRY_BYTES) )
        return false;
    header = xt_load32(at);
    if ( header == PLAIN_EXIT64 )
        return xt_load32(at + EXIT64_BYTES) == PLAIN_ENTRY;
    return header == PLAIN_EXIT && xt_load32(at + EXIT_BYTES) == PLAIN_ENTRY;
}

/* All that there is to say of the exit at `at`, which ends at `end`. */
static inline void tell_pair(struct pcpu *p, const unsigned char *at, bool wide,
                             uint64_t start, uint64_t end)
{
    struct fact_exit *f = &p->outside.exit;

    f->reason = xt_load32(at + 12);
    f->cause = exit_cause(f->hardware, f->reason);
    f->wide = wide;
    f->levels = wide ? 4 : p->levels;
    f->rip = wide ? xt_load64(at + 16) : xt_load32(at + 16);
    f->guest = p->entered ? start - p->entered : 0;
    f->start = start;
    f->cycles = end - start;
    emit_exit(p->emit, f);
    p->time = p->entered = end;
}

/*
 * In the plain case a guest that is known exits and enters, exits and enters.
 * Each is what the state asks for, and neither is late nor early: then nothing
 * else has to be asked of it.  This is the loop for that.
 */
const unsigned char *hvm_run(struct pcpu *p, const unsigned char *at,
                             const unsigned char *end, uint64_t offset,
                             uint64_t limit)
{
    struct vcpu *v = p->current;
    const unsigned char *from = at;
    uint64_t times = 0;

    if ( p->outside.open || !v || vcpu_is_idle(v) || p->entry_due ||
         !is_pair(at, end) )
        return at;
    p->outside.nr_held = 0;
    p->outside.exit = (struct fact_exit){
        .vcpu = v, .pcpu = p->id, .hardware = p->dialect->hardware,
        .end = EXIT_ENTERED,
    };
    do
    {
        bool wide = xt_load32(at) == PLAIN_EXIT64;
        size_t size = wide ? EXIT64_BYTES : EXIT_BYTES;
        uint64_t start = xt_load64(at + 4) + offset;
        uint64_t stop = xt_load64(at + size + 4) + offset;

        if ( start - p->time > PCPU_JUMP || stop - start > PCPU_JUMP ||
             stop > limit )
            break;
        tell_pair(p, at, wide, start, stop);
        at += size + ENTRY_BYTES;
        times++;
    }
    while ( is_pair(at, end) );
    add_volume(p, VOLUME_HVM_ENTRY, times, times * ENTRY_BYTES);
    add_volume(p, VOLUME_HVM_EXIT, times, at - from - times * ENTRY_BYTES);
    return at;
}

/* --- handlers ------------------------------------------------------------- */

static void tell_at_once(struct pcpu *p, const struct xt_record *r,
                         struct vcpu *v)
{
    struct fact_handle f = {
        .vcpu = v, .time = p->time, .pcpu = p->id, .event = r->event,
    };

    if ( handler_decode(&f, r) )
        emit_handle(p->emit, &f);
}

/* Of more than there is room for, the last may be the one that counts. */
static void hold(struct outside *o, const struct xt_record *r, bool first)
{
    struct held *h = &o->held[o->nr_held];

    if ( o->nr_held < FACT_HANDLERS )
        o->nr_held++;
    else if ( first )
        h--;
    else
        return;
    h->event = r->event;
    h->words = r->words;
    memcpy(h->payload, r->payload, 4 * r->words);
}

void hvm_handle(struct pcpu *p, const struct xt_record *r, unsigned int minor)
{
    struct vcpu *v = pcpu_guest(p);
    struct outside *o = &p->outside;
    bool first;

    if ( !v )
        return;
    if ( o->open )
    {
        first = !o->exit.handler && handler_is_main(r->event);
        o->exit.seen |= minor < 64 ? UINT64_C(1) << minor : 0;
        if ( first )
            o->exit.handler = minor;
        if ( emit_wants_handle(p->emit) )
            hold(o, r, first);
        return;
    }
    /* Injections also come when a vcpu that has slept is about to enter. */
    p->anomalies[ANOMALY_NO_EXIT] += handler_is_main(r->event);
    if ( emit_wants_handle(p->emit) )
        tell_at_once(p, r, v);
}

static void new_cr3(struct pcpu *p, const struct xt_record *r)
{
    struct fact_cr3 f = {
        .vcpu = p->current, .pcpu = p->id, .time = p->time,
        .value = r->event & TRC_64_FLAG ? word64(r, 1) : word(r, 1),
    };

    if ( f.vcpu )
        emit_cr3(p->emit, &f);
}

static void injected(struct pcpu *p, const struct xt_record *r)
{
    if ( p->current )
        pcpu_change(p, CHANGE_INJECT, p->current)->number = word(r, 0);
}

void hvm_handler_record(struct pcpu *p, const struct xt_record *r)
{
    if ( (r->event & ~TRC_64_FLAG) == TRC_HVM_CR_WRITE &&
         r->words >= (r->event & TRC_64_FLAG ? 3 : 2) && word(r, 0) == 3 )
        new_cr3(p, r);
    else if ( r->event == TRC_HVM_INJ_VIRQ && p->wants_halts )
        injected(p, r);
    hvm_handle(p, r, MINOR(r->event));
}

/* Only as much as there is of it. */
static size_t bytes_of(const struct outside *o)
{
    return offsetof(struct outside, held) + o->nr_held * sizeof(o->held[0]);
}

static void hand_over(struct pcpu *p)
{
    size_t bytes = bytes_of(&p->outside);
    void *copy = arena_alloc(p->scratch, bytes, _Alignof(struct outside));

    if ( !copy )
    {
        p->changes.failed = true;
        return;
    }
    memcpy(copy, &p->outside, bytes);
    pcpu_change(p, CHANGE_OUTSIDE, p->current)->data = copy;
}

void hvm_leave(struct pcpu *p, unsigned int next)
{
    struct vcpu *v = p->current ? p->current : p->nobody;

    if ( next == STATE_RUNNABLE )
        outside_tell(p->emit, v, &p->outside, p->time, EXIT_PREEMPTED);
    else if ( p->current )
        hand_over(p);
    p->outside.open = false;
}
