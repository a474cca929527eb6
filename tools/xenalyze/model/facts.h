/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Facts: what the state machines conclude from records, and what every output
 * is made of.  The two know each other by this file only.
 *
 * A SINK is an output that listens: a const table of slots, one for each kind
 * of fact; an empty slot is not interested, and what nobody is interested in
 * is not even worked out.
 *
 * TWO KINDS OF FACTS, since most of a trace concerns only what runs on one
 * pcpu, and needs no order in time between pcpus:
 *
 *   LOCAL facts come pcpu by pcpu: rising in time for each pcpu, and in any
 *   order between them, in as many threads as there are shards.  A sink says
 *   by clone() how it is split for that; merge() brings it together.  A sink
 *   of local facts without clone(), or one that is `ordered`, makes everything
 *   come in one thread (and the latter in the order of time, which costs about
 *   half of the speed).
 *
 *   GLOBAL facts (marked so) come in one thread, to the sink itself, in the
 *   order of the time at which they end.
 *
 * The result must be the same for any number of shards, so what a sink adds
 * up has to be independent of order: sums, counts, histograms, the greatest
 * with the earliest time.
 *
 * Times are time stamps in cycles, those of the pcpus made comparable; the
 * clock of struct fact_begin turns them into nanoseconds.  What is pointed to
 * is borrowed for the time of the call, but entities stay (world.h).
 *
 * Slots return nothing: a sink that fails remembers it, and end() tells.
 */
#ifndef XENALYZE_MODEL_FACTS_H
#define XENALYZE_MODEL_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "libxentrace/libxentrace.h"
#include "xenalyze/model/guests.h"

#define FACT_NO_PCPU UINT32_MAX

/* --- a segment: what can be compared in time ------------------------------ */

struct fact_begin
{
    unsigned int segment;       /* from 0 */
    uint64_t first;             /* its first time stamp */
    unsigned int nr_pcpus;      /* more may follow */
    const struct xt_clock *clock;       /* good until end() */
    const struct xt_dialect *dialect;
    struct guests *guests;      /* the same for all segments */
};

/* What the machines could not make sense of: counted, never fatal. */
enum fact_anomaly
{
    ANOMALY_TRANSITION,         /* a runstate change that Xen does not do */
    ANOMALY_OLD_STATE,          /* it says another old state than was known */
    ANOMALY_SKEW,               /* ... because clocks of pcpus differ */
    ANOMALY_CONTINUE,           /* goes on to run, but did not run there */
    ANOMALY_PREVIOUS,           /* leaves a pcpu that another one ran on */
    ANOMALY_NO_VCPU,            /* nobody is known to run there */
    ANOMALY_IDLE,               /* an event of guests while nothing ran */
    ANOMALY_NO_EXIT,            /* a handler or an entry without an exit */
    ANOMALY_NO_ENTRY,           /* an exit without an entry since the last */
    ANOMALY_SHORT,              /* a record with fewer words than it needs */
    ANOMALY_EVENT,              /* an id that nobody has declared */
    ANOMALY_LOSS,               /* a loss that ends before it begins */
    ANOMALY_BACKWARD,           /* an exit before its entry */
    ANOMALY_TOO_MANY,           /* more vcpus than are kept */
    ANOMALY_KINDS
};

struct fact_end
{
    unsigned int segment;
    uint64_t first, last;       /* time stamps; first > last: none */
    unsigned int nr_pcpus;      /* one more than the highest, ... */
    struct pcpu *const *pcpus;  /* ... of which this is NULL if not there;
                                   what it points to is the machines' */
    uint64_t records;
    uint64_t open_exits;        /* that nothing has ended */
    const uint64_t *anomalies;  /* times, by enum fact_anomaly */
    const struct xt_damage *damage;
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
    STATE_INIT,                 /* not yet heard of */
    STATES
};

/* Why a vcpu is runnable. */
enum fact_why { WHY_NONE, WHY_WAKE, WHY_PREEMPT, WHY_OTHER };

/*
 * A vcpu was in a state.  These follow each other without a gap, from the
 * beginning of the segment to its end; `next` is STATES in the last.  Some
 * have no length: two records of the same time.
 *
 * EARLY ones: what a vcpu did before it is first seen to get a pcpu.  The
 * record that ends a state tells which one it was, so nothing is unknown
 * there, but stock leaves it out.
 */
struct fact_runstate
{
    const struct vcpu *vcpu;
    uint64_t from, to;
    uint64_t since;             /* in this segment, the first one's `from` */
    uint32_t pcpu;              /* where it ran, or ran last */
    uint32_t next_pcpu;         /* whose record ended it */
    uint8_t state, why;
    uint8_t next, next_why;
    bool before_first_run;
};

enum fact_domain_state
{
    DOMAIN_BLOCKED,             /* all vcpus are blocked or offline */
    DOMAIN_PARTIAL_RUN,         /* some run, others are blocked */
    DOMAIN_FULL_RUN,
    DOMAIN_PARTIAL_CONTENTION,  /* some wait, others are blocked, none runs */
    DOMAIN_CONCURRENCY_HAZARD,  /* some run while others wait */
    DOMAIN_FULL_CONTENTION,     /* all wait */
    DOMAIN_LOST,
    DOMAIN_STATES
};

/* Of what kind the state of a domain's vcpu is, unless it is lost. */
enum fact_census
{
    CENSUS_RUNNING,
    CENSUS_RUNNABLE,
    CENSUS_BLOCKED,             /* or offline */
    CENSUS_KINDS
};

#define FACT_CENSUS_BITS 21u    /* for up to 2^16 vcpus, and one to spare */
#define FACT_CENSUS(kind) (UINT64_C(1) << (kind) * FACT_CENSUS_BITS)

/*
 * A domain was in a state: one of these for each change of any of its vcpus,
 * so two that follow each other may be of the same state.  The first begins
 * when one of its vcpus is first seen to get a pcpu.
 */
struct fact_domain
{
    const struct domain *domain;
    uint64_t from, to;
    uint64_t since;             /* in this segment, the first one's `from` */
    uint8_t state;
    bool last;                  /* to the end of the segment */
    uint32_t nr_vcpus;
    uint64_t census;            /* FACT_CENSUS() of each that is not lost */
    uint32_t ended;             /* of those lost: they ran when the records of
                                   their pcpu ended; a stream tells of that
                                   late, so running + ended is the same of a
                                   file and of a stream */
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
    uint32_t next;              /* FACT_NO_PCPU: it stayed to the end */
};

/* --- waiting for a pcpu: global ------------------------------------------- */

struct fact_rival
{
    const struct vcpu *vcpu;            /* idle ones, too */
    uint64_t cycles;                    /* of the wait, in which it ran */
};

#define FACT_RIVALS 16

/* A vcpu was runnable and then ran.  Only what both ends are known of. */
struct fact_wait
{
    const struct vcpu *vcpu;
    uint64_t from, to;          /* runnable */
    uint64_t woken;             /* when somebody began to wake it, just before
                                   `from`; without that record, and of other
                                   waits, the same as `from` */
    uint32_t pcpu;              /* where it ran then ... */
    uint32_t pcpu_before;       /* ... and the time before */
    uint8_t why;                /* enum fact_why */
    uint32_t waker_pcpu;        /* of whom the record was that woke it */
    const struct vcpu *waker;           /* who ran there; NULL: not known;
                                           idle: an interrupt */
    uint32_t nr_rivals;         /* who ran on `pcpu` meanwhile, each once */
    struct fact_rival rivals[FACT_RIVALS];
    uint64_t others;            /* cycles of more of them */
};

#define FACT_VECTORS 8

/* A vcpu blocked that had been woken and got interrupts since. */
struct fact_wake_to_halt
{
    const struct vcpu *vcpu;
    uint64_t to;                /* then it blocked */
    uint32_t nr_vectors;        /* injected, each once; not 0 */
    struct { uint32_t vector; uint64_t time; } vectors[FACT_VECTORS];
};

/* --- losses: global ------------------------------------------------------- */

struct fact_loss
{
    uint32_t pcpu;
    uint64_t from, to;          /* blind */
    uint64_t records;
    const struct vcpu *vcpu;            /* who ran at the end of it */
};

/* --- pcpus: local --------------------------------------------------------- */

enum fact_pcpu_state { PCPU_RUNNING, PCPU_IDLE, PCPU_LOST, PCPU_UNKNOWN,
                       PCPU_STATES };

/* Without a gap from the first to the last record of the pcpu. */
struct fact_pcpu
{
    uint32_t pcpu;
    uint8_t state;
    bool before_first_run;      /* before its first record of scheduling, which
                                   tells who ran: not counted by stock */
    uint64_t from, to;
    const struct vcpu *vcpu;            /* running or idle: who */
};

/* Bytes and records of a pcpu, when it has been read: once for each. */
enum fact_volume_kind
{
    VOLUME_GEN, VOLUME_SCHED, VOLUME_DOM0OP, VOLUME_HVM, VOLUME_MEM,
    VOLUME_PV, VOLUME_SHADOW, VOLUME_HW, VOLUME_GUEST, VOLUME_OTHER,
    VOLUME_SCHED_VERBOSE,       /* parts of those above */
    VOLUME_HVM_ENTRY, VOLUME_HVM_EXIT, VOLUME_HVM_HANDLER, VOLUME_HVM_EMUL,
    VOLUME_KINDS
};

struct fact_volume
{
    uint32_t pcpu;
    uint64_t first, last;       /* time stamps; first > last: none */
    uint64_t records, lost;
    uint64_t open_exits;        /* that began here and nothing has ended */
    uint64_t bytes[VOLUME_KINDS], times[VOLUME_KINDS];
};

/* --- HVM: local ----------------------------------------------------------- */

enum fact_exit_end
{
    EXIT_ENTERED,               /* by a VM entry */
    EXIT_PREEMPTED,             /* the vcpu had to wait: runnable */
    EXIT_WOKEN,                 /* it had blocked, and was woken */
};

/*
 * A guest was out: from VM exit to entry.  As in stock, one in which the vcpu
 * is scheduled away ends when it becomes runnable.  One that began on this
 * pcpu and was ended by another's record comes as a global fact.
 */
struct fact_exit
{
    const struct vcpu *vcpu;
    uint32_t pcpu;              /* where it began */
    uint32_t reason;            /* as the record has it */
    uint16_t cause;             /* dense number of it: exits.h has the name */
    uint8_t hardware;           /* enum xt_hardware */
    uint8_t end;                /* enum fact_exit_end */
    bool nested;                /* of a guest's own guest */
    bool wide;                  /* in 64-bit mode */
    uint8_t levels;             /* of the guest's page tables, or 0 */
    uint8_t handler;            /* what stock would book it under: minor id
                                   of the first handler event, 0: none;
                                   1, too, of shadow faults */
    uint64_t start, cycles;
    uint64_t rip;
    uint64_t guest;             /* cycles in the guest before it, or 0 */
    uint64_t seen;              /* bit n: handler event n came, n < 64 */
    uint8_t resyncs;            /* of shadow page tables; at most 255 */
    bool unpinned;              /* one was given up to have memory */
    bool brute_force;           /* all were searched for a mapping */
};

/* What a handler record says, of all kinds; members not named are 0. */
enum fact_handle_kind
{
    HANDLE_GENERIC,             /* event tells what; no more is known */
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
    HANDLE_HALT,                /* value: it had something to do */
    HANDLE_INVLPG,              /* at: va */
    HANDLE_LMSW,                /* value */
    HANDLE_RDTSC,               /* value: what the guest got */
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

/* Bits of the flags of fixups and emulations, as Xen numbers them. */
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
    uint8_t kind, levels;       /* 2, 3, 4; 0: the record does not say */
    uint8_t count;              /* of emulations */
    uint64_t va, gl1e, written, gfn;
    uint32_t flags;             /* SHADOW_FLAG bits */
};

/*
 * A handler record.  With an exit, it comes when that has ended, just before
 * the exit itself, in the order of the records, the first FACT_HANDLERS of
 * them; without one (NULL), at once.
 */
#define FACT_HANDLERS 16

struct fact_handle
{
    const struct vcpu *vcpu;
    const struct fact_exit *exit;       /* with its cycles; or NULL */
    uint64_t time;              /* of the last time stamp before it */
    uint32_t pcpu;
    uint32_t event;
    uint8_t kind;               /* enum fact_handle_kind */
    bool write, has_value;
    bool main;                  /* the exit is booked under this one */
    uint8_t linear;             /* a page fault in the guest's own map of its
                                   page tables: of which level; or 0 */
    uint32_t type;
    uint64_t at, value, mfn;
    struct fact_shadow shadow;
};

/*
 * A guest loads CR3.  A sink that wants to know whose time is whose combines
 * it with exits, and has to be ordered: a vcpu goes from pcpu to pcpu.
 */
struct fact_cr3
{
    const struct vcpu *vcpu;
    uint32_t pcpu;
    uint64_t time;
    uint64_t value;
};

/* The frame that it names; the other bits tell how it is used. */
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
    uint8_t kind;               /* PV_HYPERCALL_V2: also version 1's */
    bool wide;                  /* a 64-bit guest */
    uint8_t nr_args;            /* of a hypercall */
    uint32_t number;            /* of the hypercall, of the trap */
    uint32_t error;             /* error code */
    uint64_t rip, address, entry;
    uint64_t args[6];
};

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
    const struct vcpu *by;              /* who ran; NULL: not known */
    const struct domain *target;        /* done for; NULL: too many */
    uint32_t pcpu;
    uint64_t time;
    uint8_t kind, context;      /* the latter of zero reclaims */
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
    const struct vcpu *vcpu;            /* who ran, or NULL */
    uint32_t pcpu;
    uint64_t time;
    uint8_t kind;
    uint32_t irq, vector;
    uint32_t target;            /* pcpu that the record names */
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
    bool matched;               /* POWER_WAKE: from the state it went to */
    uint32_t state;             /* C-state; POWER_FREQUENCY: new MHz */
    uint32_t before;            /* POWER_FREQUENCY: old MHz */
    uint32_t expected, predicted;       /* us, POWER_SLEEP */
    uint64_t cycles;            /* POWER_WAKE: asleep */
};

/*
 * Any record of the classes that no fact above is made of (schedulers' own,
 * dom0's operations, emulated devices, guests' own events, unknown ids), and
 * continue_running.
 */
struct fact_event
{
    const struct vcpu *vcpu;            /* who ran, or NULL */
    uint32_t pcpu;
    uint64_t time;
    const struct xt_record *record;
};

/* The collector knows what a domain is called.  The last of them holds. */
struct fact_domain_name
{
    const struct domain *domain;
    uint64_t time;
    const char *name;           /* printable ASCII only */
};

/* --- sinks ---------------------------------------------------------------- */

struct sink_ops
{
    const char *name;
    bool ordered;               /* local facts in the order of time, please */

    /*
     * A second state for another thread, to be merged into `state` before
     * the segment ends.  What of a pcpu is told to which of them means
     * nothing; an exit and what happened in it are told to the same.
     * merge() takes the shard and frees it, also when it fails.  0 or -errno.
     * A sink that hears global facts only needs neither.
     */
    int (*clone)(void **shard, const void *state);
    int (*merge)(void *state, void *shard);

    void (*begin)(void *state, const struct fact_begin *f);
    /* 0 or -errno: also for all that went wrong before. */
    int (*end)(void *state, const struct fact_end *f, struct err *e);

    /* Global. */
    void (*runstate)(void *state, const struct fact_runstate *f);
    void (*domain)(void *state, const struct fact_domain *f);
    void (*residency)(void *state, const struct fact_residency *f);
    void (*wait)(void *state, const struct fact_wait *f);
    void (*wake_to_halt)(void *state, const struct fact_wake_to_halt *f);
    void (*loss)(void *state, const struct fact_loss *f);

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
};

struct sink
{
    const struct sink_ops *ops;
    void *state;
};

#endif /* XENALYZE_MODEL_FACTS_H */
