/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Facts: the state machines' conclusions from records, and the input of all
 * outputs.  This file is the only contract between machines and outputs.
 *
 * A SINK is an output that subscribes to facts: a const table of callbacks, one
 * slot per kind of fact.  A sink does not get the facts of its empty slots, and
 * facts without any subscriber are not even computed.
 *
 * TWO KINDS OF FACTS, since most of a trace concerns only the vcpu running on
 * one pcpu, and needs no order in time between pcpus:
 *
 *   LOCAL facts come pcpu by pcpu: rising in time for each pcpu, in any order
 *   between pcpus, in as many threads as there are shards.  For that, clone()
 *   splits a sink and merge() joins the parts.  A sink of local facts without
 *   clone() forces a single thread.  An `ordered` sink gets local facts as it
 *   gets global ones: in one thread, in the order of time.  Each of these is
 *   copied and sorted, so the sink should say which ones it needs.
 *
 *   GLOBAL facts (marked so) come in one thread, to the sink itself, in the
 *   order of the time at which they end.
 *
 * The result must be the same for any number of shards, so a sink's sums have
 * to be independent of order: totals, counts, histograms, maxima with their
 * earliest time.
 *
 * Times are time stamps in cycles, comparable between pcpus; the clock of
 * struct fact_begin converts them to nanoseconds.  Pointers are borrowed for
 * the duration of the call, but domains and vcpus stay valid (guests.h).
 *
 * Slots return nothing: a sink remembers a failure, and end() returns it.
 */
#ifndef XENALYZE_MODEL_FACTS_H
#define XENALYZE_MODEL_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/debug.h"
#include "common/err.h"
#include "libxentrace/libxentrace.h"
#include "xenalyze/model/guests.h"

struct xt_losses;

#define FACT_NO_PCPU UINT32_MAX

/* --- a segment: records with comparable times ----------------------------- */

struct fact_begin
{
    unsigned int segment;       /* from 0 */
    uint64_t first;             /* first time stamp, or begin of the span */
    uint64_t until;             /* end of the selected span; 0: none selected */
    unsigned int nr_pcpus;      /* more may follow */
    const struct xt_clock *clock;       /* valid until end() */
    const struct xt_dialect *dialect;
    const struct xt_host *host; /* metadata; NULL: not known */
    struct guests *guests;      /* the same for all segments */
};

/* The times that count: the segment, or its part in the selected span. */
struct fact_span { uint64_t first, until; };

static inline struct fact_span fact_begin_span(const struct fact_begin *f)
{
    return (struct fact_span){ f->first, f->until ? f->until : UINT64_MAX };
}

static inline bool fact_span_has(const struct fact_span *s, uint64_t time)
{
    return time >= s->first && time <= s->until;
}

/* The nearest time of the span. */
static inline uint64_t fact_span_limit(const struct fact_span *s, uint64_t time)
{
    return time < s->first ? s->first : time > s->until ? s->until : time;
}

/* Contradictions in the records: counted, never fatal. */
enum fact_anomaly
{
    ANOMALY_TRANSITION,         /* a runstate change that Xen does not do */
    ANOMALY_OLD_STATE,          /* the record's old state is not the known */
    ANOMALY_SKEW,               /* ... because clocks of pcpus differ */
    ANOMALY_CONTINUE,           /* vcpu continues, but did not run there */
    ANOMALY_PREVIOUS,           /* vcpu leaves a pcpu where another ran */
    ANOMALY_NO_VCPU,            /* guest event, running vcpu unknown */
    ANOMALY_IDLE,               /* guest event while the pcpu was idle */
    ANOMALY_NO_EXIT,            /* a handler or an entry without an exit */
    ANOMALY_NO_ENTRY,           /* two exits without an entry in between */
    ANOMALY_SHORT,              /* a record with fewer words than it needs */
    ANOMALY_EVENT,              /* an id that is not in the catalogue */
    ANOMALY_LOSS,               /* a loss that ends before it begins */
    ANOMALY_BACKWARD,           /* an exit before its entry */
    ANOMALY_TOO_MANY,           /* more vcpus than GUESTS_MAX_VCPUS */
    ANOMALY_KINDS
};

/*
 * Clocks that still differ after their correction: records of the first pcpu
 * come too late for the second.
 */
struct fact_disorder
{
    uint64_t cycles;            /* so much, at least; or 0, if less than
                                   FACT_DISORDER_NS, or unknown */
    uint64_t error;             /* of a wait, probably not more */
    uint32_t pcpus[2];          /* different, unless all is in order */
    /* Without the records of some pcpus, states contradict each other, too. */
    unsigned int nr_silent, nr_host;    /* pcpus without records; of so many */
};

/* Waits may be wrong by so much; 0: all is in order. */
static inline uint64_t fact_disorder_error(const struct fact_disorder *d)
{
    return d->error;
}

/* Keep the worst of all segments. */
static inline void fact_disorder_merge(struct fact_disorder *d,
                                       const struct fact_disorder *other)
{
    if ( fact_disorder_error(other) > fact_disorder_error(d) )
        *d = *other;
}

/* Shorter disorder is within the latency of a wake-up. */
#define FACT_DISORDER_NS 5000u

struct fact_end
{
    unsigned int segment;
    uint64_t first, last;       /* time stamps; first > last: none */
    unsigned int nr_pcpus;      /* highest pcpu plus 1 */
    const bool *has_records;    /* by pcpu */
    uint64_t records;           /* in the span */
    uint64_t records_read;      /* these and others, from which states follow */
    uint64_t sched_records;     /* read, by the scheduler */
    uint64_t open_exits;        /* exits without an end */
    const uint64_t *anomalies;  /* counts, by enum fact_anomaly */
    struct fact_disorder disorder;      /* the worst */
    const struct xt_damage *damage;
    const struct xt_losses *losses;     /* counted by the collector */
};

/* --- runstates: global ---------------------------------------------------- */

enum fact_state
{
    STATE_RUNNING,              /* the first four as Xen numbers them */
    STATE_RUNNABLE,
    STATE_BLOCKED,
    STATE_OFFLINE,
    STATE_LOST,                 /* unknown: records were lost */
    STATE_QUEUED,
    STATE_INIT,                 /* before the first record */
    STATE_NO_DATA,              /* after the last record of the pcpu where the
                                   vcpu ran, or while the pcpu is silent;
                                   nothing is known to be lost */
    STATES
};

/*
 * Does Xen change the state of a vcpu from `from` to `to`, both up to
 * STATE_OFFLINE?  Credit2 parks a running vcpu whose budget ends: the vcpu is
 * offline, and runs again without being runnable in between.
 */
static inline bool state_change_is_possible(unsigned int from, unsigned int to)
{
    enum
    {
        RUNNING = 1u << STATE_RUNNING, RUNNABLE = 1u << STATE_RUNNABLE,
        BLOCKED = 1u << STATE_BLOCKED, OFFLINE = 1u << STATE_OFFLINE,
    };
    static const uint8_t next[] = {
        [STATE_RUNNING] = RUNNABLE | BLOCKED | OFFLINE,
        [STATE_RUNNABLE] = RUNNING | OFFLINE,
        [STATE_BLOCKED] = RUNNABLE | OFFLINE,
        [STATE_OFFLINE] = RUNNING | RUNNABLE | BLOCKED,
    };

    debug_assert(from <= STATE_OFFLINE && to <= STATE_OFFLINE);
    return next[from] >> to & 1;
}

/* Why a vcpu is runnable. */
enum fact_why { WHY_NONE, WHY_WAKE, WHY_PREEMPT, WHY_OTHER };

/*
 * A vcpu was in a state.  The facts of a vcpu follow each other without a gap,
 * from the beginning of the segment to its end; `next` is STATES in the last
 * fact.  Two records of the same time make a fact without duration.
 *
 * `before_first_run` marks facts before the first record that puts the vcpu on
 * a pcpu.  They are known, since the record that ends a state names it, but
 * stock does not count them.
 */
struct fact_runstate
{
    const struct vcpu *vcpu;
    uint64_t from, to;
    uint64_t since;             /* `from` of the first fact in the segment */
    uint32_t pcpu;              /* where it ran, or ran last */
    uint32_t next_pcpu;         /* pcpu of the record that ended the state; in
                                   the last fact the one where the vcpu ran
                                   next, after a selected span, if known */
    const struct vcpu *waker;   /* blocked, then runnable: the vcpu that ran on
                                   next_pcpu then; NULL: unknown */
    uint8_t state, why;
    uint8_t next, next_why;
    bool before_first_run;
};

enum fact_domain_state
{
    DOMAIN_BLOCKED,             /* all vcpus are blocked or offline */
    DOMAIN_PARTIAL_RUN,         /* some run, the rest is blocked */
    DOMAIN_FULL_RUN,
    DOMAIN_PARTIAL_CONTENTION,  /* some are runnable, the rest is blocked */
    DOMAIN_CONCURRENCY_HAZARD,  /* some run while some are runnable */
    DOMAIN_FULL_CONTENTION,     /* all are runnable */
    DOMAIN_LOST,                /* no vcpu is known, and some are lost */
    DOMAIN_NO_DATA,             /* all vcpus are without data */
    DOMAIN_STATES
};

/* Kinds of states of a domain's vcpus; unknown vcpus are not counted. */
enum fact_census
{
    CENSUS_RUNNING,
    CENSUS_RUNNABLE,
    CENSUS_BLOCKED,             /* or offline */
    CENSUS_KINDS
};

#define FACT_CENSUS_BITS 21u    /* for up to 2^16 vcpus, and a spare bit */
#define FACT_CENSUS(kind) (UINT64_C(1) << (kind) * FACT_CENSUS_BITS)

/*
 * A domain was in a state: a fact for each change of any of its vcpus, so
 * consecutive facts may have the same state.  The first begins when a vcpu of
 * the domain is first seen running.
 */
struct fact_domain
{
    const struct domain *domain;
    uint64_t from, to;
    uint64_t since;             /* `from` of the first fact in the segment */
    uint8_t state;
    bool last;                  /* to the end of the segment */
    uint32_t nr_vcpus;
    uint64_t census;            /* sum of FACT_CENSUS() of the vcpus */
    uint32_t ended;             /* vcpus without data.  A stream knows the end
                                   of a pcpu late, but running + ended is the
                                   same for a file and a stream */
};

static inline uint32_t fact_census(const struct fact_domain *f,
                                   enum fact_census kind)
{
    return f->census >> kind * FACT_CENSUS_BITS &
           ((1u << FACT_CENSUS_BITS) - 1);
}

/* A vcpu belonged to a pcpu from one migration to the next. */
struct fact_residency
{
    const struct vcpu *vcpu;
    uint64_t from, to;
    uint32_t pcpu;
    uint32_t next;              /* FACT_NO_PCPU: stayed to the end */
};

/* --- waiting for a pcpu: global ------------------------------------------- */

struct fact_rival
{
    const struct vcpu *vcpu;            /* may be idle */
    uint64_t cycles;                    /* run during the wait */
};

#define FACT_RIVALS 16
/* In builds with debug_assert(): nr_rivals if no sink wants rivals. */
#define FACT_NO_RIVALS UINT32_MAX

/* A vcpu was runnable and then ran: waits with known begin and end. */
struct fact_wait
{
    const struct vcpu *vcpu;
    uint64_t from, to;          /* runnable */
    uint64_t woken;             /* begin of the wake-up, just before `from`;
                                   without a WAKE record, and in waits
                                   without a wake-up, equal to `from` */
    uint32_t pcpu;              /* where the vcpu ran afterwards ... */
    uint32_t pcpu_before;       /* ... and before */
    uint8_t why;                /* enum fact_why */
    uint32_t waker_pcpu;        /* pcpu of the record of the wake-up */
    const struct vcpu *waker;           /* vcpu that ran there; NULL: unknown;
                                           idle: an interrupt */
    uint32_t nr_rivals;         /* vcpus that ran on `pcpu` meanwhile: all, or
                                   the FACT_RIVALS that ran longest */
    struct fact_rival rivals[FACT_RIVALS];
    uint64_t others;            /* cycles of further rivals */
    uint64_t unknown;           /* cycles of no known vcpu: with the cycles of
                                   all rivals, the length of the wait */
};

/*
 * A wait without a known begin or end: it reaches beyond the segment or a
 * selected span, its vcpu was paused, or records were lost.  A sink of these
 * facts has to have a slot for complete waits, too.
 */
struct fact_open_wait
{
    struct fact_wait wait;      /* the known part.  Without an end, `pcpu` is
                                   pcpu_before, perhaps FACT_NO_PCPU; `why` is
                                   WHY_NONE if the cause is unknown */
    bool no_begin, no_end;      /* at least one */
};

#define FACT_VECTORS 256        /* the hardware has no more */

struct fact_interrupt
{
    uint32_t vector;
    uint64_t time;
};

/* A vcpu was woken, got interrupts, and blocked again. */
struct fact_wake_to_halt
{
    const struct vcpu *vcpu;
    uint64_t to;                /* time of blocking */
    uint32_t nr_vectors;        /* injected vectors, each once; at least 1 */
    const struct fact_interrupt *vectors;
};

/* The id of a destroyed domain is that of a new one: facts are of both. */
struct fact_domain_reuse
{
    const struct domain *domain;
    uint64_t time;
};

/* --- losses: global ------------------------------------------------------- */

/*
 * A loss is reported by a later record of the pcpu, or at the end of a capture
 * by the collector; in the latter case the loss lasts from the pcpu's last
 * record to the end of the segment.
 */
struct fact_loss
{
    uint32_t pcpu;
    bool at_end;                /* reported by the collector */
    uint64_t from, to;          /* lost time */
    uint64_t records;
    const struct vcpu *vcpu;            /* running at the end of the loss; NULL:
                                           unknown */
};

/*
 * The records of a part of the lost time, over which they are spread evenly: a
 * bound, so it is rounded up, and the sum of all parts can be too large.
 */
static inline uint64_t fact_loss_share(const struct fact_loss *f, uint64_t part)
{
    uint64_t length = f->to - f->from;

    debug_assert(f->from <= f->to && part <= length);
    if ( part == length )
        return f->records;
    return ((unsigned __int128)f->records * part + length - 1) / length;
}

/* --- pcpus: local --------------------------------------------------------- */

enum fact_pcpu_state { PCPU_RUNNING, PCPU_IDLE, PCPU_LOST, PCPU_UNKNOWN,
                       PCPU_STATES };

/*
 * Without a gap from the first to the last record of the pcpu.  The first
 * record of scheduling names the first state, so the pcpu was in that state
 * before its first record, too: since the begin of the segment.
 */
struct fact_pcpu
{
    uint32_t pcpu;
    uint8_t state;
    bool before_first_run;      /* before the first record of scheduling, which
                                   names the vcpu; not counted by stock */
    uint64_t from, to;
    uint64_t since;             /* `from`, or before the first record */
    const struct vcpu *vcpu;            /* if running or idle */
};

/* Bytes and records of a pcpu in the span: once, after its last record. */
enum fact_volume_kind
{
    VOLUME_GEN, VOLUME_SCHED, VOLUME_DOM0OP, VOLUME_HVM, VOLUME_MEM,
    VOLUME_PV, VOLUME_SHADOW, VOLUME_HW, VOLUME_GUEST, VOLUME_OTHER,
    VOLUME_SCHED_VERBOSE,       /* from here on: parts of the kinds above */
    VOLUME_HVM_ENTRY, VOLUME_HVM_EXIT, VOLUME_HVM_HANDLER, VOLUME_HVM_EMUL,
    VOLUME_KINDS
};

struct fact_volume
{
    uint32_t pcpu;
    uint32_t seen;              /* bits of kinds: also outside of the span */
    uint64_t first, last;       /* time stamps; first > last: none */
    uint64_t records, lost;
    uint64_t open_exits;        /* exits from this pcpu without an end */
    uint64_t bytes[VOLUME_KINDS], times[VOLUME_KINDS];
};

/* --- HVM: local ----------------------------------------------------------- */

enum fact_exit_end
{
    EXIT_ENTERED,               /* by a VM entry */
    EXIT_PREEMPTED,             /* the vcpu became runnable */
    EXIT_WOKEN,                 /* the vcpu had blocked, and was woken */
};

/*
 * From VM exit to VM entry.  As in stock, an exit in which the vcpu loses its
 * pcpu ends when the vcpu becomes runnable.  An exit that began on this pcpu
 * and was ended by a record of another pcpu comes as a global fact.
 */
struct fact_exit
{
    const struct vcpu *vcpu;
    uint32_t pcpu;              /* of the begin */
    uint32_t reason;            /* from the record */
    uint16_t cause;             /* dense number of the reason, named by
                                   exit-reasons.h */
    uint8_t hardware;           /* enum xt_hardware */
    uint8_t end;                /* enum fact_exit_end */
    bool nested;                /* exit of a guest's own guest */
    bool wide;                  /* in 64-bit mode */
    uint8_t levels;             /* of the guest's page tables, or 0 */
    uint8_t handler;            /* under which stock accounts the exit: minor
                                   id of the first main handler event; 1 for
                                   shadow faults; 0: none */
    uint64_t start, cycles;
    uint64_t rip;
    uint64_t guest;             /* cycles in the guest before, or 0 */
    uint64_t seen;              /* bit n: had handler event n, n < 64 */
    uint8_t resyncs;            /* shadow page tables resynced, at most 255 */
    bool unpinned;              /* a shadow was freed to get memory */
    bool brute_force;           /* all shadows were searched for a mapping */
    uint32_t accesses;          /* records of ports and MMIO in the exit, if it
                                   has several handlers ... */
    uint32_t left_out;          /* ... and those beyond FACT_HANDLERS */
};

/*
 * The part of an exit in which the vcpu was off its pcpu, since it blocked or
 * was paused; follows the fact of the exit.  Global.
 *
 * Xen traces an access to a device that a device model answers before the
 * request if it writes, and behind the answer if it reads: that is a handler
 * without an exit, on the vcpu's next pcpu.
 */
struct fact_exit_block
{
    const struct fact_exit *exit;       /* complete */
    const struct fact_handle *handle;   /* its main handler; NULL: none */
    uint64_t cycles;            /* at most those of the exit */
    bool is_access;             /* the vcpu waited for a device model; known
                                   if any sink wants handlers */
};

/*
 * A vcpu leaves its pcpu in an exit, since it blocks or is paused; the fact of
 * the exit comes later, when the exit ends.  Global.
 */
struct fact_exit_pause
{
    const struct vcpu *vcpu;
    uint32_t pcpu;
    enum xt_hardware hardware;
    uint32_t reason;
    uint64_t start, time;       /* begin of the exit, of the pause */
};

/* Contents of handler records by kind; members not listed are 0. */
enum fact_handle_kind
{
    HANDLE_GENERIC,             /* only the event id is known */
    HANDLE_PF_XEN,              /* at: va; value: error code */
    HANDLE_PF_INJECT,           /* at: cr2; value: error code */
    HANDLE_EXCEPTION,           /* at: vector; value: error code */
    HANDLE_INJECT,              /* at: vector; value: fake */
    HANDLE_REINJECT,            /* at: vector */
    HANDLE_PIO,                 /* at: port; value, if has_value; write */
    HANDLE_MMIO,                /* at: gpa; value, if has_value; write */
    HANDLE_CR,                  /* at: which; value; write */
    HANDLE_MSR,                 /* at: which; value; write */
    HANDLE_XCR,                 /* at: which; value; write */
    HANDLE_CPUID,               /* at: leaf; value: subleaf */
    HANDLE_INTERRUPT,           /* at: vector, if has_value (not on AMD) */
    HANDLE_HYPERCALL,           /* at: number */
    HANDLE_HALT,                /* value: an interrupt was pending */
    HANDLE_INVLPG,              /* at: va */
    HANDLE_LMSW,                /* value */
    HANDLE_RDTSC,               /* value: the guest's TSC */
    HANDLE_WINDOW,              /* at: vector; value: source */
    HANDLE_NPF,                 /* at: gpa; value: qualification; mfn; type */
    HANDLE_TRAP,                /* at: vector */
    HANDLE_SHADOW,              /* a shadow fault: struct fact_shadow */
    HANDLE_KINDS
};

enum fact_shadow_kind
{
    SHADOW_NONE,
    SHADOW_PROPAGATE,           /* minor ids of the events */
    SHADOW_FAST_PROPAGATE,
    SHADOW_FAST_MMIO,
    SHADOW_FALSE_FAST_PATH,
    SHADOW_MMIO,
    SHADOW_FIXUP,
    SHADOW_DOMF_DYING,
    SHADOW_EMULATE,
    SHADOW_UNSHADOW_USER,
    SHADOW_UNSHADOW_EVTINJ,
    SHADOW_UNSHADOW_UNHANDLED,
    SHADOW_WRMAP_BF,            /* from here on: not a fault; gfn */
    SHADOW_PREALLOC_UNPIN,
    SHADOW_RESYNC_FULL,
    SHADOW_RESYNC_ONLY,
    SHADOW_KINDS
};

/* Flags of fixups and emulations; bits as in Xen. */
#define SHADOW_FLAG_SET_CHANGED     (1u << 5)
#define SHADOW_FLAG_SET_FLUSH       (1u << 6)
#define SHADOW_FLAG_SET_ERROR       (1u << 7)
#define SHADOW_FLAG_DEMOTE          (1u << 8)
#define SHADOW_FLAG_PROMOTE         (1u << 9)
#define SHADOW_FLAG_WRMAP           (1u << 10)
#define SHADOW_FLAG_BRUTE_FORCE     (1u << 12)
#define SHADOW_FLAG_EARLY_UNSHADOW  (1u << 13)
#define SHADOW_FLAG_UNHOOK          (1u << 17)
#define SHADOW_FLAG_UNSYNC          (1u << 18)
#define SHADOW_FLAG_OOS_ADD         (1u << 19)
#define SHADOW_FLAG_OOS_EVICT       (1u << 20)

struct fact_shadow
{
    uint8_t kind, levels;       /* levels 2, 3, 4; 0: unknown */
    uint8_t count;              /* number of emulations */
    uint64_t va, gl1e, written, gfn;
    uint32_t flags;             /* SHADOW_FLAG bits */
};

/*
 * A handler record.  The first FACT_HANDLERS handlers of an exit come when the
 * exit has ended, just before the exit itself, in the order of the records.  A
 * handler without an exit (NULL) comes at once.
 */
#define FACT_HANDLERS 16

struct fact_handle
{
    const struct vcpu *vcpu;
    const struct fact_exit *exit;       /* complete; or NULL */
    uint64_t time;              /* last time stamp before the record */
    uint32_t pcpu;
    uint32_t event;
    uint8_t kind;               /* enum fact_handle_kind */
    bool write, has_value;
    bool main;                  /* the exit is accounted under this handler */
    uint8_t linear;             /* page fault in the guest's own map of its
                                   page tables: level of the table; or 0 */
    uint32_t type;
    uint64_t at, value, mfn;
    struct fact_shadow shadow;
};

/*
 * A guest loads CR3.  To attribute time to CR3 values, a sink combines loads
 * with exits and has to be ordered, since vcpus migrate between pcpus.
 */
struct fact_cr3
{
    const struct vcpu *vcpu;
    uint32_t pcpu;
    uint64_t time;
    uint64_t value;
};

/* The frame number; the remaining bits are flags. */
static inline uint64_t fact_cr3_frame(uint64_t value)
{
    return (value & 0x000ffffffffff000ull) >> 12;
}

/* --- PV, memory, hardware, guests: local ---------------------------------- */

enum fact_pv_kind               /* minor ids of the events */
{
    PV_HYPERCALL = 1,
    PV_TRAP = 3,
    PV_PAGE_FAULT,
    PV_FORCED_INVALID_OP,
    PV_EMULATE_PRIVOP,
    PV_EMULATE_4GB,
    PV_MATH_STATE_RESTORE,
    PV_PAGING_FIXUP,
    PV_GDT_LDT_MAPPING_FAULT,
    PV_PTWR_EMULATION,
    PV_PTWR_EMULATION_PAE,
    PV_HYPERCALL_V2,
    PV_HYPERCALL_SUBCALL,
    PV_KINDS
};

struct fact_pv
{
    const struct vcpu *vcpu;
    uint32_t pcpu;
    uint64_t time;
    uint8_t kind;               /* enum fact_pv_kind */
    bool wide;                  /* a 64-bit guest */
    uint8_t nr_args;            /* arguments of a hypercall */
    uint32_t number;            /* hypercall or trap number */
    uint32_t error;             /* error code */
    uint64_t rip, address, entry;
    uint64_t args[6];           /* the first nr_args are set */
};

/* Hypercalls that may send an event to another domain. */
enum fact_hypercall
{
    CALL_EVENT_CHANNEL = 32,
    CALL_HVM = 34,
    CALL_DM = 41,
};

static inline bool fact_pv_is_call(const struct fact_pv *f)
{
    return f->kind == PV_HYPERCALL || f->kind == PV_HYPERCALL_V2 ||
           f->kind == PV_HYPERCALL_SUBCALL;
}

static inline bool hypercall_may_send(uint32_t number)
{
    return number == CALL_EVENT_CHANNEL || number == CALL_HVM ||
           number == CALL_DM;
}

enum fact_memory_kind
{
    MEMORY_GRANT_MAP,
    MEMORY_GRANT_UNMAP,
    MEMORY_GRANT_TRANSFER,
    MEMORY_SET_P2M,
    MEMORY_DECREASE_RESERVATION,
    MEMORY_POD_POPULATE,
    MEMORY_POD_ZERO_RECLAIM,
    MEMORY_POD_SPLINTER,
    MEMORY_KINDS
};

enum fact_pod_context { POD_UNKNOWN, POD_FAULT, POD_BALLOON, POD_CONTEXTS };

struct fact_memory
{
    const struct vcpu *by;              /* running vcpu; NULL: unknown */
    const struct domain *target;        /* owner of the memory; NULL: out of
                                           memory, or not selected */
    uint32_t pcpu;
    uint64_t time;
    uint8_t kind, context;      /* context: of zero reclaims only */
    bool is_guess;              /* by a layout of an unknown version of Xen */
    uint16_t order;
    uint32_t type;              /* of a p2m entry */
    uint64_t gfn, mfn;
};

enum fact_irq_kind              /* minor ids of the events */
{
    IRQ_MOVE_CLEANUP_DELAY = 1,
    IRQ_MOVE_CLEANUP,
    IRQ_BIND_VECTOR,
    IRQ_CLEAR_VECTOR,
    IRQ_MOVE_FINISH,
    IRQ_ASSIGN_VECTOR,
    IRQ_UNMAPPED_VECTOR,
    IRQ_HANDLED,
    IRQ_KINDS
};

struct fact_irq
{
    const struct vcpu *vcpu;            /* running vcpu, or NULL */
    uint32_t pcpu;
    uint64_t time;
    uint8_t kind;
    uint32_t irq, vector;
    uint32_t target;            /* target pcpu */
    uint32_t mask[6];
    bool has_cycles;
    uint32_t cycles;            /* of the handler */
};

enum fact_power_kind { POWER_FREQUENCY, POWER_SLEEP, POWER_WAKE };

struct fact_power
{
    uint32_t pcpu;
    uint64_t time;
    uint8_t kind;
    bool matched;               /* POWER_WAKE: C-state as in POWER_SLEEP */
    uint32_t state;             /* C-state; POWER_FREQUENCY: new MHz */
    uint32_t before;            /* POWER_FREQUENCY: old MHz */
    uint32_t expected, predicted;       /* us, POWER_SLEEP */
    uint64_t cycles;            /* POWER_WAKE: asleep */
};

/*
 * A record without a fact above: events of schedulers, operations of dom0,
 * emulated devices, guests' own events, unknown ids; and continue_running.
 */
struct fact_event
{
    const struct vcpu *vcpu;            /* running vcpu, or NULL */
    uint32_t pcpu;
    uint64_t time;
    const struct xt_record *record;
    bool is_chosen;             /* a filter let it pass; else it is unknown */
};

/* A domain's name, from the collector.  The last name is valid. */
struct fact_domain_name
{
    const struct domain *domain;
    uint64_t time;
    const char *name;           /* printable ASCII only */
};

/*
 * A pcpu wrote records at these two times, and none in between, as far as facts
 * about exits, PV guests, interrupts, power and events show.  Only some of
 * these gaps are facts: the first, and each that ends FACT_MOMENT_NS or more
 * after the end of the one before; so all gaps of that length are.  For ordered
 * sinks only; the gap before an exit comes when the exit ends.
 */
#define FACT_MOMENT_NS 25000u

struct fact_moment
{
    uint32_t pcpu;
    uint64_t from, to;          /* equal: the first record */
};

/* --- sinks ---------------------------------------------------------------- */

/* Exits that a sink needs. */
enum fact_exit_need
{
    NEED_INTERRUPT_EXITS = 1u << 0,     /* for interrupts of the host */
    NEED_PAUSE_EXITS = 1u << 1,         /* for the PAUSE instruction */
    NEED_FIRST_EXITS = 1u << 2,         /* the first of a vcpu on a pcpu */
    NEED_EXITS_AFTER_IRQ = 1u << 3,     /* the first of a pcpu behind a fact of
                                           a handled interrupt */
};

/* The facts of PV guests that a sink needs. */
enum fact_pv_need
{
    NEED_PV,                    /* all */
    NEED_PV_SENDS,              /* hypercalls that may send an event, and the
                                   vcpu's next fact; and its first fact, and
                                   first hypercall, on a pcpu */
};

/* Records of an event that a sink needs. */
enum fact_event_need
{
    NEED_NO_EVENT,
    NEED_FIRST_EVENT,           /* the first such record at least: it proves
                                   that they are traced */
    NEED_SOME_EVENTS,           /* those in the span that event_filter() lets
                                   pass, and all before it */
    NEED_EVENT,
};

/* The memory of filters, for each pcpu; all zero at first. */
struct fact_event_memory
{
    uint32_t vcpu;
    uint8_t flags;
};

/* Is the record needed?  Called for each record of the event in the span. */
typedef bool fact_event_filter(struct fact_event_memory *m,
                               const struct fact_event *f);

struct sink_ops
{
    const char *name;
    bool ordered;               /* wants local facts in the order of time */
    /*
     * With a selected span: wants facts of two seconds before it, or behind it
     * as far as the trace is read, but for pcpus, domains and residencies.
     * Runstates are not cut at the end of the span then.
     */
    bool early_facts, late_facts;
    bool no_rivals;             /* waits without rivals suffice: nr_rivals and
                                   rivals must not be read, all time may be
                                   unknown */

    bool from_hvm;              /* runstates and waits before the first record
                                   of any HVM guest are not needed */

    /*
     * A sink may not get further facts of these kinds.  0 or NULL: it needs
     * all.
     */
    bool (*needs_runstate)(unsigned int state, unsigned int next);
    /* These, but for needs_event(), are for ordered sinks. */
    uint32_t exit_needs;        /* bits of enum fact_exit_need */
    uint32_t handle_needs;      /* bits of kinds: 1u << HANDLE_PIO */
    enum fact_pv_need pv_need;
    enum fact_event_need (*needs_event)(uint32_t event);
    /* For NEED_SOME_EVENTS; the same for all sinks that have it. */
    fact_event_filter *(*event_filter)(uint32_t event);

    /*
     * clone() creates a second state (shard) for another thread, merge() adds
     * it to `state` before the segment ends.  The distribution of a pcpu's
     * facts among the shards is arbitrary, but an exit and its handlers go to
     * the same shard.  merge() always frees the shard, also on failure.  0 or
     * -errno.  A sink of global facts only needs neither function.
     */
    int (*clone)(void **shard, const void *state);
    int (*merge)(void *state, void *shard);

    void (*begin)(void *state, const struct fact_begin *f);
    /* 0 or -errno, also for failures of earlier callbacks. */
    int (*end)(void *state, const struct fact_end *f, struct err *e);

    /* Global. */
    void (*runstate)(void *state, const struct fact_runstate *f);
    void (*domain)(void *state, const struct fact_domain *f);
    void (*residency)(void *state, const struct fact_residency *f);
    void (*wait)(void *state, const struct fact_wait *f);
    void (*open_wait)(void *state, const struct fact_open_wait *f);
    void (*wake_to_halt)(void *state, const struct fact_wake_to_halt *f);
    void (*domain_reuse)(void *state, const struct fact_domain_reuse *f);
    void (*loss)(void *state, const struct fact_loss *f);
    void (*exit_pause)(void *state, const struct fact_exit_pause *f);
    void (*exit_block)(void *state, const struct fact_exit_block *f);

    /* Local. */
    void (*pcpu)(void *state, const struct fact_pcpu *f);
    void (*volume)(void *state, const struct fact_volume *f);
    void (*exit)(void *state, const struct fact_exit *f);
    void (*handle)(void *state, const struct fact_handle *f);
    void (*cr3)(void *state, const struct fact_cr3 *f);
    void (*pv)(void *state, const struct fact_pv *f);
    void (*memory)(void *state, const struct fact_memory *f);
    void (*irq)(void *state, const struct fact_irq *f);
    void (*power)(void *state, const struct fact_power *f);
    void (*event)(void *state, const struct fact_event *f);
    void (*domain_name)(void *state, const struct fact_domain_name *f);
    void (*moment)(void *state, const struct fact_moment *f);
};

struct sink
{
    const struct sink_ops *ops;
    void *state;
};

#endif /* XENALYZE_MODEL_FACTS_H */
