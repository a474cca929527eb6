/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machine of one pcpu: which vcpu runs on it, and the vcpu's exits,
 * hypercalls and so on.  The machine needs this pcpu's records only, in their
 * order, so the machines of different pcpus run in different threads.
 *
 * An exit in which the vcpu blocks ends on any pcpu: it is queued as a change
 * for the global machine.
 */
#ifndef XENALYZE_MACHINE_PCPU_H
#define XENALYZE_MACHINE_PCPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/debug.h"
#include "libxentrace/internal.h"
#include "libxentrace/libxentrace.h"
#include "libxentrace/readers.h"
#include "xenalyze/machine/change.h"
#include "xenalyze/machine/emit.h"
#include "xenalyze/model/model.h"

/* Any payload, and bytes behind it that the load of a field may include. */
#define HANDLER_PAYLOAD (4u * XT_RECORD_MAX_WORDS + 4u)

/* A handler record whose exit has not ended. */
struct handler_record
{
    uint32_t event;
    uint8_t words;
    bool main;                  /* the exit is accounted under this handler */
    unsigned char payload[HANDLER_PAYLOAD];
};

/*
 * An exit that has not ended: its fact, except for vcpu, end and cycles, and
 * the records of its handlers.
 */
struct open_exit
{
    bool open;
    uint8_t nr_pending;
    uint64_t blocked_at;        /* only of a blocked exit: its last pause */
    uint64_t off_cpu;           /* cycles of its pauses before */
    struct fact_exit exit;
    struct handler_record pending[FACT_HANDLERS];
};

/* Vcpus by the word that names them in records: a direct-mapped cache. */
struct vcpu_cache_entry
{
    uint32_t word;
    struct vcpu *vcpu;          /* NULL: the entry is free */
};

#define VCPU_CACHE_BITS 6u

/* Ids of vcpus, and of domains but the idle one, are smaller in any Xen. */
#define VCPU_IDS 8192u
#define DOMAIN_IDS 0x7ff0u

/*
 * A time stamp so many cycles after the previous one may be damaged.  The
 * engine then looks for evidence; its loop for common records, and those of the
 * fast paths below, stop in front of such a record.
 */
#define PCPU_JUMP XT_FAR_STEP

/*
 * An idle pcpu that writes records of its sleep states writes one at once when
 * idle.  If such a pcpu is awake, but without any record for more cycles than
 * these, then the pcpu is offline, or Xen works in its idle loop.
 */
#define PCPU_SILENCE (UINT64_C(1) << 26)

/* The gaps between a pcpu's records that become struct fact_moment. */
struct moment_gaps
{
    uint64_t last;              /* time of the last record; those at or before
                                   the initial one do not count */
    uint64_t next;              /* a gap that ends earlier is no fact; 0: there
                                   was no fact; UINT64_MAX: none is wanted */
};

/* False: the gap before the record at `at` may be a fact; nothing is done. */
static inline bool moment_gaps_skip(struct moment_gaps *g, uint64_t at)
{
    if ( at >= g->next )
        return false;
    if ( at > g->last )
        g->last = at;
    return true;
}

/*
 * A record at `at`; true: the gap before it, since `from`, is a fact.  The next
 * such gap ends `least` cycles later, or more.
 */
static inline bool moment_gaps_add(struct moment_gaps *g, uint64_t at,
                                   uint64_t least, uint64_t *from)
{
    uint64_t last = g->last;

    if ( at <= last )
        return false;
    g->last = at;
    if ( at < g->next )
        return false;
    *from = g->next ? last : at;
    g->next = at + least;
    return true;
}

/* Records of Xen's buffers and of the collector, which are no events. */
struct extra_records
{
    uint64_t times, bytes;
};

/*
 * The volumes of a pcpu when all records before the span are read, and when
 * those in the span are as well.  Extra records are left out: their number in a
 * span depends on where windows end.
 */
enum volume_bound { VOLUME_AT_BEGIN, VOLUME_AT_END, VOLUME_BOUNDS };

struct volume_bounds
{
    unsigned int nr;            /* reached */
    struct fact_volume at[VOLUME_BOUNDS];
};

struct pcpu
{
    uint32_t id;
    const struct emit *emit;
    struct guests *guests;
    const struct xt_dialect *dialect;
    struct arena *scratch;      /* for data that changes point to */
    struct changes changes;

    bool begun;                 /* a record with a time stamp has been seen */
    bool ended;
    bool in_global;             /* the global machine knows `first` */
    uint64_t time;              /* last time stamp of a record */
    uint64_t first;

    struct vcpu *current;       /* NULL: unknown */
    struct vcpu *default_vcpu;  /* default domain's, until current is known */
    struct fact_pcpu fact;      /* in progress: emitted when it ends */
    bool inferred;              /* `current` comes from a LOST record */
    bool has_snapshot;          /* by the metadata, this vcpu ran here at this
                                   time; false: no, or not needed any more */
    uint32_t snapshot_vcpu;     /* xt_vcpu_key() */
    uint64_t snapshot_time;
    bool loss_begun;            /* the next LOST record ends this loss */
    bool in_gap;                /* ... or any record with a time stamp does:
                                   the trace is damaged */

    struct vcpu_cache_entry vcpu_cache[1u << VCPU_CACHE_BITS];

    uint64_t switch_to;         /* 1 + key of the vcpu in a SWITCH record; 0:
                                   none since a vcpu arrived */
    uint64_t waking;            /* the same of a WAKE record; 0: none since a
                                   runstate record */
    uint64_t waking_since;

    struct open_exit open_exit;
    uint64_t entered_at;        /* last VM entry of the running guest, or 0 */
    bool has_hvm;               /* has queued CHANGE_HVM */
    bool may_have_remote_exit;  /* `current` may have blocked in an exit on
                                   another pcpu */
    bool wants_wake_to_halt;    /* a sink wants struct fact_wake_to_halt */
    uint8_t levels;             /* of page tables of a guest that is not in
                                   64-bit mode, until a record names them */

    bool asleep;
    bool has_slept;             /* it writes records of sleep states */
    bool has_fallen_asleep;     /* ... and has written one of an entry */
    bool started_asleep;        /* its first one is of a wake-up */
    bool is_silent;             /* between the two calls of pcpu.c ... */
    bool is_missing;            /* ... since records are missing */
    uint32_t c_state;
    uint64_t asleep_since;

    /*
     * Facts that ordered sinks got in the selected span: the vcpu of the last
     * exit, and of the last fact of a PV guest since a vcpu arrived.
     */
    bool in_span;
    const struct vcpu *exit_vcpu, *pv_vcpu;
    bool has_irq;               /* handled since that exit */
    bool has_call, has_sent;    /* hypercalls of pv_vcpu: any; the last one may
                                   have sent an event */
    struct fact_event_memory events;    /* of the filters of a sink */
    struct moment_gaps gaps;    /* of facts about moments */

    /* A domain's name, of which some parts have arrived; NULL: none; free(). */
    struct xt_meta_text *name;

    struct fact_volume volume;  /* all records */
    struct extra_records extra; /* in `volume` */
    struct fact_volume span_volume;     /* once it has ended */
    struct volume_bounds *bounds;       /* NULL: the span has none */
    uint64_t anomalies[ANOMALY_KINDS];
};

/* --- pcpu.c --------------------------------------------------------------- */

typedef void record_fn(struct pcpu *p, const struct xt_record *r);

/*
 * Handle records of one subclass or more, from `at` on, up to the first record
 * of another subclass, or with a time (stamp + `offset`) before the previous
 * record's, more than PCPU_JUMP after the previous record's, or after `limit`,
 * or close to `end`.  Returns the address of that record.
 */
typedef const unsigned char *records_fn(struct pcpu *p,
                                        const unsigned char *at,
                                        const unsigned char *end,
                                        uint64_t offset, uint64_t limit);

/* How records of a subclass are handled. */
struct record_row
{
    record_fn *slow;            /* NULL: a record becomes a fact_event */
    records_fn *fast;           /* consecutive records; or NULL */
    uint8_t volume;             /* enum fact_volume_kind */
};

#define RECORD_CLASSES 12u      /* bits 16..27 of an id */

/* Index of an event in pcpu_rows(): the lowest bit of the class counts. */
static inline unsigned int record_row_index(uint32_t event)
{
    uint32_t class = event >> TRC_CLS_SHIFT;

    return __builtin_ctz(class | 1u << (RECORD_CLASSES - 1)) * 16 +
           (event >> TRC_SUBCLS_SHIFT & 0xf);
}

/* The table of all subclasses, by record_row_index(). */
const struct record_row *pcpu_rows(void);

/* The next record is LOST_RECORDS: the loss began at this time. */
void pcpu_begin_loss(struct pcpu *p, uint64_t time);

/* Does the record, the first one after a gap, name idle time before it? */
bool pcpu_record_was_idle(const struct xt_record *r);

/*
 * The time of the next record is `next`: nothing is known about the pcpu until
 * then, if it is silent; call pcpu_end_silence() before that record.  A second
 * call for the same record has no effect.
 */
void pcpu_begin_silence(struct pcpu *p, uint64_t next, bool was_idle);
void pcpu_end_silence(struct pcpu *p, uint64_t time);

/*
 * Records behind the last one may be missing, but none before `from`: the pcpu
 * loses records until the next record with a time stamp.  Before that record,
 * call pcpu_end_gap().
 */
void pcpu_begin_gap(struct pcpu *p, uint64_t from);

/* The next record is `r`; a LOST record itself ends the loss. */
void pcpu_end_gap(struct pcpu *p, const struct xt_record *r, uint64_t time);

/* After the last record. */
void pcpu_end(struct pcpu *p);

/* The pcpu's records up to the next bound of the span are read. */
void pcpu_cross_bound(struct pcpu *p);

/* Start counting time here. */
void pcpu_begin(struct pcpu *p, uint64_t time);

/*
 * Between the record before this one and this one, the pcpu may pass the time
 * of its snapshot.
 */
void pcpu_use_snapshot(struct pcpu *p);

/* A record of a sleep state, while it is unknown which vcpu runs. */
void pcpu_use_sleep(struct pcpu *p);

/* v has been running here since the pcpu's first record, or the last loss. */
void pcpu_infer_current(struct pcpu *p, struct vcpu *v);

/* Emit a record as struct fact_event: no machine handles it. */
record_fn pcpu_emit_event;

/* --- pcpu-runstate.c, one record ------------------------------------------ */

record_fn runstate_slow, schedule_record, domain_record;
records_fn runstate_fast;

/* --- hvm.c ---------------------------------------------------------------- */

record_fn hvm_entryexit_slow, hvm_handler_slow, hvm_emulated_record;
records_fn hvm_fast;        /* both kinds */

/* The current vcpu leaves the pcpu during an exit; its new state is `next`. */
void hvm_deschedule(struct pcpu *p, unsigned int next);

/* Add a handler record to the open exit, or emit its fact at once. */
void hvm_add_handler(struct pcpu *p, const struct xt_record *r,
                     unsigned int minor);

/* --- handler.c ------------------------------------------------------------ */

/* Has the record all words that its fact needs? */
bool handler_is_complete(const struct handler_record *h);

/* Emit the fact of a handler record without an exit. */
void handler_emit(const struct pcpu *p, const struct handler_record *h,
                  const struct vcpu *v);

/* Emit the handler facts of a finished exit. */
void exit_emit_handlers(const struct emit *e, struct open_exit *o);

/* Emit the fact that the vcpu was off its pcpu for the end of an exit. */
void exit_emit_block(const struct emit *e, struct open_exit *o,
                     uint64_t cycles);

/* Emit the facts of a finished exit, attributed to v. */
static inline void exit_emit(const struct emit *e, const struct vcpu *v,
                             struct open_exit *o, uint64_t end,
                             unsigned int how)
{
    struct fact_exit *f = &o->exit;

    debug_assert(o->open && o->nr_pending <= FACT_HANDLERS);
    debug_assert(v);
    f->vcpu = v;
    f->end = how;
    f->cycles = end > f->start ? end - f->start : 0;
    if ( o->nr_pending )
        exit_emit_handlers(e, o);
    emit_exit(e, f);
    o->open = false;
}

/* Bytes in use, from the beginning of the struct on. */
static inline size_t open_exit_size(const struct open_exit *o)
{
    debug_assert(o->nr_pending <= FACT_HANDLERS);
    return offsetof(struct open_exit, pending) +
           o->nr_pending * sizeof(o->pending[0]);
}

/* --- shadow.c ------------------------------------------------------------- */

record_fn shadow_record;

/*
 * Does the event name the way in which a fault was handled?  All kinds but the
 * last four do; no event has kind 0.
 */
bool shadow_is_main(uint32_t event);

/* Has the record all words that its fact needs? */
bool shadow_is_complete(uint32_t event, unsigned int words);

/* Fill in the rest of the fact of a complete record. */
void shadow_decode(struct fact_handle *f, const struct xt_record *r);

/* Level of the page table that a Windows guest maps at `va`; 0: no table. */
unsigned int find_linear_level(unsigned int levels, uint64_t va);

/*
 * Bits by minor id: events that do not tell the purpose of an exit.  These are
 * injections, and 0, which according to stock's analyze.h is never written.
 */
#define SECONDARY_EVENTS (UINT64_C(0x3d) | UINT64_C(1) << 0x20)

/* Ports and MMIO; the flags of writes and of 64 bits are no part of the id. */
#define ACCESS_EVENTS (UINT64_C(1) << (TRC_HVM_IOPORT_READ & 0xff) | \
                       UINT64_C(1) << (TRC_HVM_IOMEM_READ & 0xff))

static inline bool handler_is_access(uint32_t event)
{
    return event >> TRC_CLS_SHIFT == TRC_HVM >> TRC_CLS_SHIFT &&
           ACCESS_EVENTS >> (event & 0x3f) & 1;
}

/* Is the exit accounted under this handler? */
static inline bool handler_is_main(uint32_t event)
{
    if ( event >> TRC_CLS_SHIFT == TRC_SHADOW >> TRC_CLS_SHIFT )
        return shadow_is_main(event);
    return !(SECONDARY_EVENTS >> (event & 0x3f) & 1);
}

/* --- guest-memory.c, pv.c, irq.c, power.c --------------------------------- */

record_fn memory_record, pv_slow, irq_record, power_record;
records_fn pv_fast;

/* --- changes -------------------------------------------------------------- */

/* Of a pcpu that has begun. */
static inline struct change *pcpu_queue_change_fast(struct pcpu *p,
                                                    unsigned int kind,
                                                    struct vcpu *v)
{
    struct change *c = changes_add(&p->changes);

    debug_assert(p->begun);
    *c = (struct change){ .time = p->time, .vcpu = v, .pcpu = p->id,
                          .kind = kind };
    return c;
}

/* A hostile trace may have changes without any time stamp. */
static inline struct change *pcpu_queue_change(struct pcpu *p,
                                               unsigned int kind,
                                               struct vcpu *v)
{
    if ( !p->begun )
        pcpu_begin(p, p->time);
    return pcpu_queue_change_fast(p, kind, v);
}

/* --- the current vcpu ----------------------------------------------------- */

/* Emit the fact in progress and begin the next one. */
static inline void pcpu_set_state(struct pcpu *p, unsigned int state,
                                  uint64_t time)
{
    debug_assert(state < PCPU_STATES);
    /* The facts of a pcpu follow without a gap, and time does not go back. */
    debug_assert(p->fact.from <= time);
    debug_assert(!p->fact.to || p->fact.to == p->fact.from);
    p->fact.to = time;
    p->fact.vcpu = p->current;
    emit_pcpu(p->emit, &p->fact);
    p->fact.state = state;
    p->fact.from = p->fact.since = time;
    p->fact.before_first_run = false;
}

static inline void pcpu_set_current(struct pcpu *p, struct vcpu *v)
{
    debug_assert(v);
    pcpu_set_state(p, vcpu_is_idle(v) ? PCPU_IDLE : PCPU_RUNNING, p->time);
    p->current = v;
    p->default_vcpu = NULL;
    p->inferred = false;
    p->entered_at = 0;
    p->may_have_remote_exit = true;
}

static inline void pcpu_clear_current(struct pcpu *p)
{
    pcpu_set_state(p, PCPU_UNKNOWN, p->time);
    p->current = NULL;
    p->entered_at = 0;
}

/* The guest's vcpu that runs here; NULL, counted as an anomaly: none. */
static inline struct vcpu *pcpu_get_guest(struct pcpu *p)
{
    struct vcpu *v = p->current ? p->current : p->default_vcpu;

    if ( v && !vcpu_is_idle(v) )
        return v;
    p->anomalies[v ? ANOMALY_IDLE : ANOMALY_NO_VCPU]++;
    return NULL;
}

/* --- parts of records ----------------------------------------------------- */

/* Header of a record with a time stamp. */
static inline uint32_t record_header(uint32_t event, unsigned int words)
{
    return TRC_HD_CYCLE_FLAG | (uint32_t)words << TRACE_EXTRA_SHIFT | event;
}

/* Where the payload of such a record begins. */
#define RECORD_PAYLOAD 12u

/* Number of an event in its subclass. */
static inline unsigned int event_minor(uint32_t event)
{
    return event & 0xfff;
}

/* The same for HVM, PV and shadow events, which have flags in bits 8 to 11. */
static inline unsigned int event_minor8(uint32_t event)
{
    return event & 0xff;
}

/* True for a 64-bit guest: addresses take two words. */
static inline bool event_is_wide(uint32_t event)
{
    return event & TRC_64_FLAG;
}

/* A field of a record, or 0 where the record ends before. */
#define RECORD_FIELD(r, event, field) xt_field_load(r, XT_AT(event, field))

/* A kind of fact that has the number of an event. */
#define ASSERT_KIND(kind, event) \
    _Static_assert((kind) == ((event) & 0xff), #kind " is not " #event)

/* True if the record has at least `nr` words; a short record is counted. */
static inline bool record_has_words(struct pcpu *p, const struct xt_record *r,
                                    unsigned int nr)
{
    if ( r->words >= nr )
        return true;
    p->anomalies[ANOMALY_SHORT]++;
    return false;
}

/* True if the record has the whole field; a short record is counted. */
static inline bool record_has_field(struct pcpu *p, const struct xt_record *r,
                                    struct xt_field_place field)
{
    return record_has_words(p, r, (field.bit + field.bits + 31u) / 32);
}

/* --- volumes -------------------------------------------------------------- */

static inline void volume_add(struct pcpu *p, unsigned int kind,
                              uint64_t times, uint64_t bytes)
{
    debug_assert(kind < VOLUME_KINDS);
    p->volume.times[kind] += times;
    p->volume.bytes[kind] += bytes;
}

static inline size_t record_bytes(const struct xt_record *r)
{
    return 4 + 8 * r->has_tsc + 4 * r->words;
}

/* --- records -------------------------------------------------------------- */

/*
 * Decode the record at `at`, which is followed by enough bytes for any record,
 * and set p->time.  Returns the end of the record; NULL: the time of the record
 * is out of the range of a records_fn.
 */
__attribute__((always_inline))
static inline const unsigned char *
pcpu_next_record(struct pcpu *p, struct xt_record *r, const unsigned char *at,
                 uint64_t offset, uint64_t limit)
{
    uint32_t header = xt_load32(at);
    const unsigned char *payload = at + 4;
    unsigned int words = TRC_HD_EXTRA(header);

    r->tsc = 0;
    r->has_tsc = header >> 31;
    _Static_assert(TRC_HD_CYCLE_FLAG == 1u << 31, "the uppermost bit");
    if ( header & TRC_HD_CYCLE_FLAG )
    {
        uint64_t tsc = xt_load64(payload), time = tsc + offset;

        if ( time - p->time > PCPU_JUMP || time > limit )
            return NULL;
        p->time = time;
        r->tsc = tsc;
        payload += 8;
    }
    r->event = TRC_HD_TO_EVENT(header);
    r->words = words;
    r->payload = payload;
    return payload + 4 * words;
}

/* Handle a record of `bytes` bytes at p->time. */
static inline void pcpu_handle_record(struct pcpu *p,
                                      const struct record_row *row,
                                      const struct xt_record *r, size_t bytes)
{
    volume_add(p, row->volume, 1, bytes);
    if ( row->slow )
        row->slow(p, r);
    else if ( emit_wants_event(p->emit) )
        pcpu_emit_event(p, r);
}

/* Handle a record at `time`, which is not before the previous record's. */
static inline void pcpu_record(struct pcpu *p, const struct xt_record *r,
                               uint64_t time)
{
    debug_assert(!p->begun || time >= p->time);
    if ( xt_record_is_timed(r) )
    {
        if ( !p->begun && r->event != TRC_LOST_RECORDS )
            pcpu_begin(p, time);
        p->time = time;
        if ( p->has_snapshot )
            pcpu_use_snapshot(p);
    }
    pcpu_handle_record(p, &pcpu_rows()[record_row_index(r->event)], r,
                       record_bytes(r));
}

#endif /* XENALYZE_MACHINE_PCPU_H */
