/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machine of one pcpu: who runs on it, and what that one does.  It needs
 * to see this pcpu's records in their order and nothing else, so many of them
 * work at the same time.
 *
 * An EXIT in which the vcpu blocks is ended elsewhere: it is handed over, as
 * a change, to the machine of the world.
 */
#ifndef XENALYZE_MACHINE_PCPU_H
#define XENALYZE_MACHINE_PCPU_H

#include <stdbool.h>
#include <stdint.h>

#include "libxentrace/dialect.h"
#include "libxentrace/record.h"
#include "xenalyze/machine/change.h"
#include "xenalyze/machine/emit.h"
#include "xenalyze/model/model.h"

/* A handler record of an exit that goes on. */
struct held
{
    uint32_t event;
    uint8_t words;
    uint32_t payload[XT_RECORD_MAX_WORDS];
};

/* An exit that goes on: its fact, but for what is known at its end only. */
struct outside
{
    bool open;
    uint8_t nr_held;
    struct fact_exit exit;
    struct held held[FACT_HANDLERS];
};

/* Who a word of a record names. */
struct known
{
    uint32_t word;
    struct vcpu *vcpu;          /* NULL: it is free */
};

#define PCPU_KNOWN_BITS 6u

/*
 * A record so many cycles later than the one before it may have a damaged time
 * stamp.  Who reads has to look at what is behind it; the loops for what is
 * plain (hvm_run(), runstate_run()) leave it to him.
 */
#define PCPU_JUMP (UINT64_C(1) << 22)

struct pcpu
{
    uint32_t id;
    const struct emit *emit;
    struct guests *guests;
    const struct xt_dialect *dialect;
    struct arena *scratch;      /* for what changes point to */
    struct changes changes;

    bool begun;                 /* it has had a record that is timed */
    bool ended;
    bool in_scene;              /* the scene knows when it began */
    uint64_t time;              /* of the last record that was timed */
    uint64_t first;

    struct vcpu *current;       /* NULL: not known */
    struct vcpu *nobody;        /* DOMID_DEFAULT's, until somebody is known */
    struct fact_pcpu is;        /* what will be told of it when that ends */
    bool inferred;              /* `current` is known from a loss only */
    bool loss_told;             /* what the next LOST record says began */

    struct known known[1u << PCPU_KNOWN_BITS];  /* by their hash */

    struct vcpu *waking;        /* WAKE said so, and no runstate since */
    uint64_t waking_since;

    struct outside outside;
    uint64_t entered;           /* the guest runs since, or 0 */
    bool entry_due;             /* an exit may be open from elsewhere */
    bool wants_halts;           /* somebody asks for struct fact_wake_to_halt */
    uint8_t levels;             /* of page tables of a guest that is not in
                                   64-bit mode, until a record says it */

    bool asleep;
    uint32_t c_state;
    uint64_t asleep_since;

    /* A domain's name on its way, in parts. */
    char name[64];
    unsigned int name_parts;

    struct fact_volume volume;
    uint64_t anomalies[ANOMALY_KINDS];
};

/* --- pcpu.c --------------------------------------------------------------- */

/* The next record is LOST_RECORDS: it began at that time. */
void pcpu_loss_begins(struct pcpu *p, uint64_t time);

/* There are no more. */
void pcpu_end(struct pcpu *p);

/* --- for the files of the room -------------------------------------------- */

typedef void record_fn(struct pcpu *p, const struct xt_record *r);

record_fn pcpu_any_record;
record_fn runstate_record, schedule_record;
record_fn hvm_entryexit_record, hvm_handler_record;
record_fn memory_record, pv_record, shadow_record, irq_record, power_record;
record_fn event_record;

/* v is known to have run. */
void pcpu_ran(struct pcpu *p, struct vcpu *v);

/* Who runs does not any more, in the middle of an exit; its state is `next`. */
void hvm_leave(struct pcpu *p, unsigned int next);

/* Of an exit that has ended: what happened in it; and all of it, of v. */
void outside_tell_handles(const struct emit *e, const struct outside *o);

static inline void outside_tell(const struct emit *e,
                                const struct vcpu *v, struct outside *o,
                                uint64_t end, unsigned int how)
{
    struct fact_exit *f = &o->exit;

    f->vcpu = v;
    f->end = how;
    f->cycles = end > f->start ? end - f->start : 0;
    if ( o->nr_held )
        outside_tell_handles(e, o);
    emit_exit(e, f);
    o->open = false;
}

/*
 * Take exits with their entries, or changes of runstates, from `at` on, up to
 * the first record that is anything else, or whose time, its stamp + `offset`,
 * is before the last one's, a jump behind it, or behind `limit`: where that is.
 */
const unsigned char *hvm_run(struct pcpu *p, const unsigned char *at,
                             const unsigned char *end, uint64_t offset,
                             uint64_t limit);
const unsigned char *runstate_run(struct pcpu *p, const unsigned char *at,
                                  const unsigned char *end, uint64_t offset,
                                  uint64_t limit);

/* What a handler record says, into a fact.  False: it is too short. */
bool handler_decode(struct fact_handle *f, const struct xt_record *r);
bool shadow_decode(struct fact_handle *f, const struct xt_record *r);

/* In a Windows guest, of which level is the page table at this address? */
unsigned int linear_level(unsigned int levels, uint64_t va);

/* Is the exit booked under this one? */
bool handler_is_main(uint32_t event);

/* It belongs to the exit that goes on, if one does. */
void hvm_handle(struct pcpu *p, const struct xt_record *r, unsigned int minor);

/* Time begins to count here. */
void pcpu_begin(struct pcpu *p, uint64_t time);

/* Of a pcpu that has begun. */
static inline struct change *pcpu_next_change(struct pcpu *p,
                                              unsigned int kind,
                                              struct vcpu *v)
{
    struct change *c = changes_add(&p->changes);

    *c = (struct change){ .time = p->time, .vcpu = v, .pcpu = p->id,
                          .kind = kind };
    return c;
}

static inline struct change *pcpu_change(struct pcpu *p, unsigned int kind,
                                         struct vcpu *v)
{
    /* No Xen writes such a record without a time; a trace can. */
    if ( !p->begun )
        pcpu_begin(p, p->time);
    return pcpu_next_change(p, kind, v);
}

/* What it did until now, and does from now on. */
static inline void pcpu_enter(struct pcpu *p, unsigned int state,
                              uint64_t time)
{
    p->is.to = time;
    p->is.vcpu = p->current;
    emit_pcpu(p->emit, &p->is);
    p->is.state = state;
    p->is.from = time;
    p->is.before_first_run = false;
}

/* v runs from now on. */
static inline void pcpu_run(struct pcpu *p, struct vcpu *v)
{
    pcpu_enter(p, vcpu_is_idle(v) ? PCPU_IDLE : PCPU_RUNNING, p->time);
    p->current = v;
    p->nobody = NULL;
    p->inferred = false;
    p->entered = 0;
    p->entry_due = true;
}

/* Nobody is known to. */
static inline void pcpu_leave(struct pcpu *p)
{
    pcpu_enter(p, PCPU_UNKNOWN, p->time);
    p->current = NULL;
    p->entered = 0;
}

/* The guest that runs here; NULL: there is none, which is counted. */
static inline struct vcpu *pcpu_guest(struct pcpu *p)
{
    struct vcpu *v = p->current ? p->current : p->nobody;

    if ( v && !vcpu_is_idle(v) )
        return v;
    p->anomalies[v ? ANOMALY_IDLE : ANOMALY_NO_VCPU]++;
    return NULL;
}

/* Of a record with a time and so many words. */
#define RECORD_HEADER(event, words) \
    (TRC_HD_CYCLE_FLAG | (uint32_t)(words) << TRACE_EXTRA_SHIFT | \
     (uint32_t)(event))

static inline size_t record_bytes(const struct xt_record *r)
{
    return 4 + 8 * r->has_tsc + 4 * r->words;
}

static inline void add_volume(struct pcpu *p, unsigned int kind,
                              uint64_t times, uint64_t bytes)
{
    p->volume.times[kind] += times;
    p->volume.bytes[kind] += bytes;
}

static inline void count_volume(struct pcpu *p, unsigned int kind,
                                const struct xt_record *r)
{
    add_volume(p, kind, 1, record_bytes(r));
}

/* Word i of a record, or 0 where it has fewer. */
static inline uint32_t word(const struct xt_record *r, unsigned int i)
{
    return i < r->words ? xt_record_word(r, i) : 0;
}

static inline uint64_t word64(const struct xt_record *r, unsigned int i)
{
    return word(r, i) | (uint64_t)word(r, i + 1) << 32;
}

/* Does it have the words that it needs?  Counted if not. */
static inline bool has_words(struct pcpu *p, const struct xt_record *r,
                             unsigned int nr)
{
    if ( r->words >= nr )
        return true;
    p->anomalies[ANOMALY_SHORT]++;
    return false;
}

/* --- records -------------------------------------------------------------- */

/*
 * A record, at `time`: not before that of the one before it.  Entries and exits
 * are nearly all of many traces, so they do not go by the table of machines.
 */
static inline void pcpu_record(struct pcpu *p, const struct xt_record *r,
                               uint64_t time)
{
    if ( xt_record_is_timed(r) )
    {
        if ( !p->begun && r->event != TRC_LOST_RECORDS )
            pcpu_begin(p, time);
        p->time = time;
    }
    if ( r->event >> TRC_SUBCLS_SHIFT == TRC_HVM_ENTRYEXIT >> TRC_SUBCLS_SHIFT )
        hvm_entryexit_record(p, r);
    else
        pcpu_any_record(p, r);
}

#endif /* XENALYZE_MACHINE_PCPU_H */
