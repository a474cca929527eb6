/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Statistics of --summary.  A sink fills the struct; the text printer, the JSON
 * and the CSV tables only read the struct, so the formats cannot disagree.
 *
 *     struct summary *summary;
 *
 *     summary_new(&summary, &want);
 *     ... analyze with summary_sink(summary) ...
 *     summary_close(summary);
 *     text_print_summary(summary, &request, out);
 *     summary_free(summary);
 *
 * Local facts may come in several threads, each with a struct summary of its
 * own (a shard).  Shards are merged into the first summary, the only receiver
 * of global facts; so a merge skips the fields of global facts.
 */
#ifndef XENALYZE_ACCOUNT_SUMMARY_H
#define XENALYZE_ACCOUNT_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

#include "common/compiler.h"
#include "xenalyze/account/cr3-table.h"
#include "xenalyze/model/model.h"
#include "xenalyze/stats/stats.h"

/* Optional parts with extra cost. */
struct summary_want
{
    bool eips;                  /* list rip of interrupts of eip_vector */
    uint32_t eip_vector;
    uint64_t histogram;         /* bytes per bar of the histogram, or 0 */
    uint32_t histogram_vector;
    bool off_cpu;               /* time off the pcpu, apart from exits' time */
};

/* --- statistics of a vcpu ------------------------------------------------ */

/*
 * Series have a sample for each ended state, as in stock.  `open` is the time
 * of the state at the end of the trace, `elapsed` the time since the vcpu's
 * first record.
 */
struct summary_times
{
    uint64_t open[STATES];      /* domains use fewer */
    uint64_t elapsed;
};

/*
 * Residencies are buffered and added to the map by pcpu in batches: when a vcpu
 * migrates often, the cache misses of a batch overlap.
 */
#define SUMMARY_RECENT 16u

struct summary_recent
{
    uint32_t pcpu;
    uint64_t from, cycles;
};

struct summary_sched
{
    _Alignas(STATS_LINE)
    struct stats state[STATES]; /* STATE_RUNNABLE: after close() */
    struct stats by_reason[4];  /* runnable time, by enum fact_why */
    struct summary_times time;
    struct stats residency;     /* sum of by_pcpu, after close() */
    struct stats_map by_pcpu;   /* without the buffer `recent` */
    uint64_t migrations;
    unsigned int nr_recent;
    struct summary_recent *recent;      /* SUMMARY_RECENT; NULL until the vcpu
                                           migrates */
};

/* Wake-to-halt times by vector; allocated for the first injected interrupt. */
struct summary_halts
{
    struct stats_map alone;     /* the only interrupt until the halt */
    struct stats_map any;
    struct stats_map other;     /* interrupts of an already woken vcpu */
};

/*
 * Details of an exit: series of cycles by handler.  The key is
 * SUMMARY_DETAIL(enum fact_handle_kind, number, part, times).  Some handlers
 * have parts, which may overlap; some parts are split by the number of resyncs.
 * Sorting by key gives stock's order.
 */
#define SUMMARY_DETAIL(kind, at, part, times)                                  \
    ((uint64_t)(kind) << 56 | (uint64_t)(at) << 16 | (part) << 8 | (times))
#define SUMMARY_DETAIL_KIND(key) ((unsigned int)((key) >> 56))
#define SUMMARY_DETAIL_AT(key) ((uint32_t)((key) >> 16))
#define SUMMARY_DETAIL_PART(key) ((key) >> 8 & 0xff)
#define SUMMARY_DETAIL_TIMES(key) ((key) & 0xff)

/* A page fault fixed by Xen while the trace lacks shadow events. */
#define SUMMARY_FAULT_FIXED SHADOW_KINDS

/* Resync counts up to these limits are distinct: CR3 loads, and unsyncs. */
#define SUMMARY_CR3_RESYNCS 17u
#define SUMMARY_UNSYNC_RESYNCS 2u

/* Cycles of exits in which the vcpu was off its pcpu, with want.off_cpu. */
struct summary_off_cpu
{
    uint64_t cycles;
    struct stats_map details;   /* by the keys of summary_exit.details */
};

struct summary_exit
{
    _Alignas(STATS_LINE) struct stats cost;
    struct stats_map details;
    unsigned int cause;
    struct summary_off_cpu *off_cpu;    /* NULL: the vcpu never was */
};

/* A typical guest has ten of about a hundred exit causes. */
#define SUMMARY_FEW_EXITS 16u      /* a power of two */

struct summary_hvm
{
    /* Hot fields first: every exit updates this cache line. */
    uint64_t exit_cycles, guest_cycles;
    struct summary_exit **exits;   /* [0] is NULL; capacity: a power of two */
    unsigned int nr_exits;      /* indexes 1 to nr_exits are in use */
    struct summary_exit *first[SUMMARY_FEW_EXITS];    /* initial array */
    /* Index in exits by cause; 0: none, or above UINT8_MAX. */
    uint8_t exit_index[EXIT_CAUSES];
    struct stats_map others;    /* cause EXIT_OTHER, by reason */
    struct stats_map interrupts;        /* injected, by vector */
    struct stats_map io, mmio;  /* by address * 2 + write: the exit's time,
                                   in equal parts */
    struct stats_map mmio_va;   /* by physical address: guest address */
    struct stats_map bars;      /* histogram of rip, by bar */
};

#define SUMMARY_HYPERCALLS 64u
#define SUMMARY_TRAPS 32u

struct summary_pv
{
    uint64_t times[PV_KINDS];
    uint64_t hypercalls[SUMMARY_HYPERCALLS + 1];   /* last: higher numbers */
    uint64_t traps[SUMMARY_TRAPS + 1];
};

struct summary_vcpu
{
    uint16_t domain, id;
    uint32_t index;
    struct summary_sched *sched;   /* global; NULL: no facts */
    struct summary_halts *halts;   /* global; NULL: no facts */
    struct summary_hvm *hvm;       /* local; NULL: no facts */
    struct summary_pv *pv;
};

/* --- of a domain ---------------------------------------------------------- */

#define SUMMARY_ORDERS 4u          /* orders 0, 9, 18, 27 */

struct summary_memory
{
    uint64_t done_by[MEMORY_KINDS], done_for[MEMORY_KINDS];
    uint64_t populated[SUMMARY_ORDERS];
    uint64_t reclaimed[SUMMARY_ORDERS];
    uint64_t contexts[POD_CONTEXTS][SUMMARY_ORDERS];
};

struct summary_domain_sched
{
    _Alignas(STATS_LINE) struct stats state[DOMAIN_STATES];
    struct summary_times time;
};

struct summary_domain
{
    uint16_t id;
    uint32_t index;
    struct summary_domain_sched *sched;    /* global; NULL: no facts */
    char name[64];              /* local fields from here on; "": unknown */
    uint64_t named;             /* time of the record with the name */
    struct summary_memory *memory;      /* NULL: no facts */
    struct stats_map emulated;  /* shadow emulations by rip */
    struct stats_map hit;       /* interrupts by rip, with want.eips */
};

/* --- of a pcpu ------------------------------------------------------------ */

#define SUMMARY_MAX_PCPU 65535u    /* bounds the array for hostile traces */

struct summary_pcpu
{
    uint32_t id;
    _Alignas(STATS_LINE)
    struct stats state[PCPU_STATES];    /* known begin and end */
    uint64_t open[PCPU_STATES]; /* cycles, without a known begin */
    uint64_t time;              /* from the first record to the last */
    struct fact_volume volume;
    struct stats sleep;         /* time in C-states */
    uint64_t interrupts, interrupt_cycles;  /* device interrupts handled here */
    uint64_t losses, lost;              /* global: number, records, ... */
    uint64_t lost_cycles;               /* ... and cycles */
};

/*
 * Cycles by state.  A pcpu is unknown when no record tells its state, and after
 * its last record, so the sum is the length of the trace.
 */
struct summary_pcpu_time
{
    uint64_t state[PCPU_STATES];
};

/* --- the whole ------------------------------------------------------------ */

/* Arrays of pointers by index; unused indexes are NULL. */
struct summary
{
    struct summary_want want;
    struct stats_pool pool;

    uint64_t fault_va;      /* guest address of the MMIO in the current exit */
    bool counts_left_out;   /* accesses of the current exit are counted that
                               are no facts */
    const struct vcpu *latest;          /* vcpu of the most recent exit, ... */
    struct summary_hvm *latest_hvm;  /* ... and its struct */
    struct summary_vcpu **vcpus;   /* by index; after close() by id, */
    uint32_t nr_vcpus;          /* without NULL pointers */
    struct summary_domain **domains;
    uint32_t nr_domains;
    struct summary_pcpu **pcpus;   /* by id */
    uint32_t nr_pcpus;

    uint64_t hz;
    uint64_t total;             /* cycles, sum over segments */
    uint64_t first;             /* time stamp of the first record */
    unsigned int segments;
    uint64_t records, sched_records, lost, open_exits;
    uint64_t losses, lost_cycles;       /* sums over pcpus */
    uint64_t lost_cycles_at_end;        /* after the last record of a pcpu */
    uint64_t unwritten, taken, dropped; /* events: struct xt_losses */
    bool losses_counted;                /* by Xen, to the end of the trace */
    uint64_t anomalies[ANOMALY_KINDS];
    struct fact_disorder disorder;      /* the worst */
    struct xt_damage damage;
    struct stats_top loss_gaps;     /* the longest losses; tag: pcpu */
    struct xt_clock clock;      /* of the first segment */
    bool closed;                /* no more facts; sorted */

    /* Number of exits with reasons of AMD, by the hardware in the trace. */
    uint64_t svm_exits[XT_HARDWARE_SVM + 1];
    /* Records with a layout that depends on an unknown version of Xen. */
    uint64_t layout_guesses;

    struct cr3_table *cr3;      /* borrowed table of the summary, or NULL */
};

/* Search the exits with an index above UINT8_MAX. */
struct summary_exit *summary_exit_find_slow(const struct summary_hvm *h,
                                            unsigned int cause);

/* NULL: no exit of the cause, or one that only the slow search finds. */
static inline struct summary_exit *
summary_exit_find_fast(const struct summary_hvm *h, unsigned int cause)
{
    debug_assert(cause < EXIT_CAUSES && h->exit_index[cause] <= h->nr_exits);
    return h->exits[h->exit_index[cause]];
}

/* NULL: no exit of the cause. */
static inline struct summary_exit *
summary_exit_find(const struct summary_hvm *h, unsigned int cause)
{
    struct summary_exit *x = summary_exit_find_fast(h, cause);

    return x || h->nr_exits <= UINT8_MAX ? x
                                         : summary_exit_find_slow(h, cause);
}

struct sink summary_sink(struct summary *summary);

/* 0 or -ENOMEM. */
int summary_new(struct summary **summary, const struct summary_want *want);
void summary_free(struct summary *summary);

/* Call after the last fact: sorts the arrays for printing.  0 or -ENOMEM. */
int summary_close(struct summary *summary);

/* Time in a state, the open state at the end included. */
static inline uint64_t summary_state_time(const struct stats *state,
                                          const struct summary_times *time,
                                          unsigned int i)
{
    return state[i].sum + time->open[i];
}

/* Events per second of the trace; 0 for a trace without duration. */
static inline double summary_rate(const struct summary *s, uint64_t events)
{
    return s->total ? (double)events * (double)s->hz / (double)s->total : 0;
}

/* The same, rounded. */
static inline uint64_t summary_per_second(const struct summary *s,
                                          uint64_t events)
{
    double rate = summary_rate(s, events);

    return rate < (double)UINT64_MAX / 2 ? (uint64_t)(rate + 0.5)
                                         : UINT64_MAX / 2;
}

/* Cycles in Xen; the sums of a damaged trace may wrap. */
static inline uint64_t summary_in_xen(uint64_t total, uint64_t off_cpu)
{
    return total > off_cpu ? total - off_cpu : 0;
}

struct summary_pcpu_time summary_get_pcpu_time(const struct summary *b,
                                               const struct summary_pcpu *p);

/* The part of an exit's cost in which the vcpu was off its pcpu. */
static inline uint64_t summary_exit_off_cpu(const struct summary_exit *x)
{
    return x->off_cpu ? x->off_cpu->cycles : 0;
}

/* The same for one of the details of the exit. */
static inline uint64_t summary_detail_off_cpu(const struct summary_exit *x,
                                              uint64_t key)
{
    const struct stats *s = x->off_cpu
                            ? stats_map_find(&x->off_cpu->details, key) : NULL;

    return s ? s->sum : 0;
}

static inline bool summary_is_idle(const struct summary_vcpu *v)
{
    return v->domain == XT_DOMAIN_IDLE;
}

/* Format the name of a detail: "npf", "cr3", "fixup: unsync". */
#define SUMMARY_DETAIL_NAME 64u
#define SUMMARY_DETAIL_WRITE " (write)"    /* suffix of write accesses */

const char *summary_detail_name(uint64_t key, char name[SUMMARY_DETAIL_NAME]);

/* The name of the interrupt of a detail, if Xen's own; NULL: none, unknown. */
const char *summary_detail_interrupt(uint64_t key);

/* False: the detail is no interrupt with a known vector. */
bool summary_detail_vector(uint64_t key, uint32_t *vector);

/*
 * Name of a part; NULL: the part is named by its resync count, where
 * summary_part_max_times() stands for that count or more.
 */
const char *summary_part_name(uint64_t key);
unsigned int summary_part_max_times(uint64_t key);

/* --- this room's: how facts get in ---------------------------------------- */

/* Allocate an entry.  NULL: no memory; pool.failed is set. */
struct summary_vcpu *summary_new_vcpu(struct summary *b,
                                      const struct vcpu *v);
struct summary_domain *summary_new_domain(struct summary *b,
                                          const struct domain *d);
struct summary_pcpu *summary_new_pcpu(struct summary *b, uint32_t pcpu);

/* NULL: not in the array yet. */
static inline struct summary_vcpu *summary_find_vcpu(const struct summary *b,
                                                     const struct vcpu *v)
{
    return v->index < b->nr_vcpus ? b->vcpus[v->index] : NULL;
}

static inline struct summary_vcpu *summary_get_vcpu(struct summary *b,
                                                const struct vcpu *v)
{
    struct summary_vcpu *own = summary_find_vcpu(b, v);

    return own ? own : summary_new_vcpu(b, v);
}

static inline struct summary_domain *
summary_find_domain(const struct summary *b, const struct domain *d)
{
    return d->index < b->nr_domains ? b->domains[d->index] : NULL;
}

static inline struct summary_domain *
summary_get_domain(struct summary *b, const struct domain *d)
{
    struct summary_domain *own = summary_find_domain(b, d);

    return own ? own : summary_new_domain(b, d);
}

static inline struct summary_pcpu *summary_get_pcpu(struct summary *b,
                                                uint32_t pcpu)
{
    return pcpu < b->nr_pcpus && b->pcpus[pcpu] ? b->pcpus[pcpu]
                                                : summary_new_pcpu(b, pcpu);
}

/* Callbacks of the sink, and functions that merge shards. */
void summary_add_runstate(void *state, const struct fact_runstate *f);
void summary_add_domain_state(void *state, const struct fact_domain *f);
void summary_add_residency(void *state, const struct fact_residency *f);
void summary_add_wake_to_halt(void *state, const struct fact_wake_to_halt *f);
void summary_add_loss(void *state, const struct fact_loss *f);
/* part of summary_close() */
void summary_finish_sched(struct summary *b, struct summary_sched *v);

/* Keys, in the map of details, of an exit with this main handler. */
#define SUMMARY_DETAILS 16u

unsigned int summary_detail_keys(const struct fact_handle *f,
                                 uint64_t keys[SUMMARY_DETAILS]);

/* False: the only key is summary_detail_whole(). */
static inline bool summary_detail_has_parts(const struct fact_handle *f)
{
    return f->kind == HANDLE_SHADOW || f->kind == HANDLE_PF_XEN ||
           (f->kind == HANDLE_CR && f->write);
}

/*
 * The key of a handler of any kind but shadow and page faults.  Kinds without
 * a case of their own are keyed by event.
 */
static inline uint64_t summary_detail_whole(const struct fact_handle *f)
{
    if ( f->kind == HANDLE_MMIO )
        return SUMMARY_DETAIL(f->kind, 0, 0u, 0u);
    if ( f->kind == HANDLE_CR || f->kind == HANDLE_HYPERCALL ||
         (f->kind == HANDLE_INTERRUPT && f->has_value) )
        return SUMMARY_DETAIL(f->kind, f->at & UINT32_MAX, 0u, 0u);
    return SUMMARY_DETAIL(HANDLE_GENERIC, f->event, 0u, 0u);
}

void summary_add_exit(void *state, const struct fact_exit *f);
void summary_add_handle(void *state, const struct fact_handle *f);
void summary_add_exit_block(void *state, const struct fact_exit_block *f);
void summary_merge_hvm(struct summary *to, struct summary_vcpu *v,
                       const struct summary_hvm *from);

void summary_add_pv(void *state, const struct fact_pv *f);
void summary_add_memory(void *state, const struct fact_memory *f);
void summary_add_irq(void *state, const struct fact_irq *f);
void summary_add_power(void *state, const struct fact_power *f);
void summary_add_pcpu_state(void *state, const struct fact_pcpu *f);
void summary_add_volume(void *state, const struct fact_volume *f);
void summary_merge_pv(struct summary *to, struct summary_vcpu *v,
                      const struct summary_pv *from);
void summary_merge_memory(struct summary *b, struct summary_domain *to,
                          const struct summary_memory *from);
/* All counts are 0 if there are no facts. */
const struct summary_memory *summary_get_memory(const struct summary_domain *d);
void summary_merge_pcpu(struct summary *to, const struct summary_pcpu *from);

#endif /* XENALYZE_ACCOUNT_SUMMARY_H */
